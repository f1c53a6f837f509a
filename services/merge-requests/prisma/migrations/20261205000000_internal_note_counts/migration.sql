-- Internal ones among the notes that users wrote; the numbers of old notes come with their next event, or when they are told again.
alter table merge_requests add column internal_notes_count integer not null default 0;
