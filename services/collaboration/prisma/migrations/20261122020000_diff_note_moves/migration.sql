-- Noteables whose diff notes are to be moved to the newest version of the diff.
create table diff_note_moves (
  noteable_id bigint primary key references noteables (id) on delete cascade,
  -- Counts pushes: one that comes while its notes are moved asks for another round.
  generation bigint not null default 1,
  attempts integer not null default 0,
  run_at timestamptz(3) not null default now()
);

create index diff_note_moves_due on diff_note_moves (run_at);
create index notes_diff_places on notes (noteable_id, id) where type = 'DiffNote' and starts_discussion;
