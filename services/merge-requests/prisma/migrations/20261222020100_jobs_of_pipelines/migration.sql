-- Jobs of a project, newest first, of all statuses or of some.
create index commit_statuses_of_project on commit_statuses (project_id, id);
create index commit_statuses_by_status on commit_statuses (project_id, status, id);
