-- Counts of internal notes, which are for Reporters and above alone. The columns take their locks for a moment: nothing is written to the rows.
alter table noteables add column internal_notes_count integer not null default 0;
alter table issues add column internal_notes_count integer not null default 0;
