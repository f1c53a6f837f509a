-- Changes of lines that diff notes suggest: one for each block of the note's text, in their order.
create table suggestions (
  id bigint generated always as identity primary key,
  note_id bigint not null references notes (id) on delete cascade,
  place integer not null,
  lines_above integer not null,
  lines_below integer not null,
  from_content text not null,
  to_content text not null,
  -- The commit that applied it; null: it was not applied.
  commit_sha text,
  created_at timestamptz(3) not null default now()
);

create unique index suggestions_of_note on suggestions (note_id, place);
