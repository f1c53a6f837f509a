-- no transaction
-- additive
create index concurrently resource_events_by_date on resource_events (issue_id, kind, created_at, id);
