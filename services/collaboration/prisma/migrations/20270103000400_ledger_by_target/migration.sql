-- A page of what was decided about one thing in a project, however much was decided about others.
create index ledger_entries_project_target_time on ledger_entries (project_id, target_type, target_id, created_at, id) where project_id > 0;
