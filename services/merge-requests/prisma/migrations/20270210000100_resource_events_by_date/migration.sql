-- no transaction
-- additive
create index concurrently resource_events_by_date on resource_events (merge_request_id, kind, created_at, id);
