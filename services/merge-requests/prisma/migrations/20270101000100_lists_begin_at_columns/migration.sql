-- Assignees, reviewers and labels say the project of their merge request, as approvals do: a list begins at the few of
-- one project (ADR 42). A merge request never changes its project.
alter table merge_request_assignees add column project_id bigint;
alter table merge_request_reviewers add column project_id bigint;
alter table merge_request_labels add column project_id bigint;
update merge_request_assignees link set project_id = mr.project_id from merge_requests mr where mr.id = link.merge_request_id;
update merge_request_reviewers link set project_id = mr.project_id from merge_requests mr where mr.id = link.merge_request_id;
update merge_request_labels link set project_id = mr.project_id from merge_requests mr where mr.id = link.merge_request_id;
alter table merge_request_assignees alter column project_id set not null;
alter table merge_request_reviewers alter column project_id set not null;
alter table merge_request_labels alter column project_id set not null;
create trigger merge_request_assignees_take_project before insert on merge_request_assignees
  for each row execute function link_takes_project();
create trigger merge_request_reviewers_take_project before insert on merge_request_reviewers
  for each row execute function link_takes_project();
create trigger merge_request_labels_take_project before insert on merge_request_labels
  for each row execute function link_takes_project();
create index merge_request_assignees_in_project on merge_request_assignees (user_id, project_id, merge_request_id);
create index merge_request_assignees_by_project on merge_request_assignees (project_id, merge_request_id);
create index merge_request_reviewers_in_project on merge_request_reviewers (user_id, project_id, merge_request_id);
create index merge_request_reviewers_by_project on merge_request_reviewers (project_id, merge_request_id);
create index merge_request_labels_in_project on merge_request_labels (label_id, project_id, merge_request_id);
create index merge_request_labels_by_project on merge_request_labels (project_id, merge_request_id);

-- What a list of one project begins at, and what is counted there without reading the merge requests.
create index merge_requests_in_project_by_author on merge_requests (project_id, author_id, id);
create index merge_requests_in_project_by_merge_user on merge_requests (project_id, merge_user_id, id);
create index merge_requests_in_project_by_milestone on merge_requests (project_id, milestone_id, id);
create index merge_requests_in_project_by_draft on merge_requests (project_id, draft, id);

-- Deployed merge requests in the order of their ids, so that a count sees each once and stops at its limit.
create index deployment_merge_requests_once_by_environment
  on deployment_merge_requests (project_id, environment, merge_request_id, finished_at);
create index deployment_merge_requests_once on deployment_merge_requests (project_id, merge_request_id, finished_at);
