-- The note whose quick action an entry comes from; entries from before have none.
alter table timelogs add column note_id bigint;

-- The id that the note of a draft is going to have: what its quick actions are known by, however often it is published.
alter table draft_notes add column note_id bigint;
