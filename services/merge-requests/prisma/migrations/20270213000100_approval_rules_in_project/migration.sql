-- no transaction
-- additive
create index concurrently approval_rules_in_project on approval_rules (project_id, id);
