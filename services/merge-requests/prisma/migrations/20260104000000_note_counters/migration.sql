-- Version of the counters that collaboration told last: one told late, from the dead letters, changes nothing.
alter table merge_requests add column notes_version bigint not null default 0;
