-- no transaction
-- additive
create unique index concurrently resource_events_imported on resource_events (merge_request_id, imported_key) where imported_key is not null;
