-- no transaction
-- additive
create index concurrently notes_of_project on notes (project_id, id);
