-- no transaction
-- additive
create index concurrently merge_requests_in_project on merge_requests (project_id, id);
