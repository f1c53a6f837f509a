-- no transaction
-- additive
create unique index concurrently resource_events_imported on resource_events (issue_id, imported_key) where imported_key is not null;
