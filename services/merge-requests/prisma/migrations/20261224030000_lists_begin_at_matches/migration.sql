-- What lists of merge requests are narrowed by, with the project it belongs to: a list begins at the few rows of one
-- user in one project, wherever else the user has been (ADR 42). A merge request never changes its project.
alter table merge_request_approvals add column project_id bigint;
alter table merge_request_reactions add column project_id bigint;
alter table deployment_merge_requests add column project_id bigint;
update merge_request_approvals link set project_id = mr.project_id from merge_requests mr where mr.id = link.merge_request_id;
update merge_request_reactions link set project_id = mr.project_id from merge_requests mr where mr.id = link.merge_request_id;
update deployment_merge_requests link set project_id = mr.project_id from merge_requests mr where mr.id = link.merge_request_id;
alter table merge_request_approvals alter column project_id set not null;
alter table merge_request_reactions alter column project_id set not null;
alter table deployment_merge_requests alter column project_id set not null;

create function link_takes_project() returns trigger language plpgsql as $$
begin
  select mr.project_id into new.project_id from merge_requests mr where mr.id = new.merge_request_id;
  return new;
end $$;
create trigger merge_request_approvals_take_project before insert on merge_request_approvals
  for each row execute function link_takes_project();
create trigger merge_request_reactions_take_project before insert on merge_request_reactions
  for each row execute function link_takes_project();
create trigger deployment_merge_requests_take_project before insert on deployment_merge_requests
  for each row execute function link_takes_project();

create index merge_request_approvals_in_project on merge_request_approvals (user_id, project_id, merge_request_id);
create index merge_request_reactions_in_project on merge_request_reactions (user_id, project_id, merge_request_id, name) where given;
create index deployment_merge_requests_in_project on deployment_merge_requests (project_id, environment, finished_at, merge_request_id);
create index deployment_merge_requests_in_project_by_end on deployment_merge_requests (project_id, finished_at, merge_request_id);

-- The same for the users of approval rules. A rule never changes its owner.
alter table approval_rule_users add column project_id bigint, add column merge_request_id bigint;
update approval_rule_users link set project_id = r.project_id, merge_request_id = r.merge_request_id
  from approval_rules r where r.id = link.rule_id;
alter table approval_rule_users alter column project_id set not null;

create function rule_user_takes_owner() returns trigger language plpgsql as $$
begin
  select r.project_id, r.merge_request_id into new.project_id, new.merge_request_id
    from approval_rules r where r.id = new.rule_id;
  return new;
end $$;
create trigger approval_rule_users_take_owner before insert on approval_rule_users
  for each row execute function rule_user_takes_owner();

create index approval_rule_users_in_project on approval_rule_users (user_id, project_id, merge_request_id);
create index approval_rule_users_by_owner on approval_rule_users (project_id, merge_request_id);
create index approval_rules_own_of_project on approval_rules (project_id, merge_request_id) where merge_request_id is not null;

-- Whether a merge request has an approval at all: the few without one have no rows elsewhere to begin at.
alter table merge_requests add column approved boolean not null default false;
update merge_requests mr set approved = true
  where exists (select from merge_request_approvals a where a.merge_request_id = mr.id);

create function merge_request_is_approved() returns trigger language plpgsql as $$
declare subject bigint := case when tg_op = 'DELETE' then old.merge_request_id else new.merge_request_id end;
begin
  -- Without the lock two transactions would each look past the half of the other.
  perform from merge_requests mr where mr.id = subject for no key update;
  update merge_requests mr set approved = not mr.approved
    where mr.id = subject and mr.approved <> exists (select from merge_request_approvals a where a.merge_request_id = subject);
  return null;
end $$;
create trigger merge_request_approvals_approve after insert or delete on merge_request_approvals
  for each row execute function merge_request_is_approved();

create index merge_requests_by_approved on merge_requests (project_id, approved, id);
