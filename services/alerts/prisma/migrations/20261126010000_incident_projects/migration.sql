-- An incident may be moved to another project, and stays its alert's.
alter table alerts add column issue_project_id bigint;
