-- additive
-- What makes an event that came in from elsewhere one of its own.
alter table resource_events add column imported_key text;
