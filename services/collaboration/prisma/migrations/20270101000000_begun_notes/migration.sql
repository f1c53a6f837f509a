-- Texts with quick actions that count time, from before these are run until their note is written: the same text, sent
-- again, continues where the first ended.
create table begun_notes (
  noteable_id bigint not null references noteables (id) on delete cascade,
  author_id bigint not null,
  -- What the author sent, and where.
  digest bytea not null,
  -- The id that the note is going to have.
  note_id bigint not null,
  begun_at timestamptz(3) not null default now(),
  primary key (noteable_id, author_id, digest)
);
create unique index begun_notes_note on begun_notes (note_id);
create index begun_notes_old on begun_notes (begun_at, note_id);

-- Commands that have changed the times of an issue and may be sent again: each does it once.
create table issue_time_commands (
  issue_id bigint not null references issues (id) on delete cascade,
  cause text not null,
  primary key (issue_id, cause)
);
