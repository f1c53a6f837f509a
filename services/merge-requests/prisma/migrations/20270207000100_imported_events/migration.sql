-- additive
-- What makes an event that came in from elsewhere one of its own.
alter table resource_events add column imported_key text;
create unique index resource_events_imported on resource_events (merge_request_id, imported_key) where imported_key is not null;
