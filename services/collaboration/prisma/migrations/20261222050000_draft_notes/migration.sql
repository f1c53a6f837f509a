-- Comments of a review, which their author alone sees until they are published.
create table draft_notes (
  id bigint generated always as identity primary key,
  noteable_id bigint not null references noteables (id) on delete cascade,
  author_id bigint not null,
  body text not null,
  -- The thread that it replies to; null: it starts one.
  discussion_id bytea,
  resolve_discussion boolean not null default false,
  position jsonb,
  line_code text,
  commit_id text,
  -- Counts changes: what was checked before it is published must be what is published.
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create index draft_notes_of_author on draft_notes (noteable_id, author_id, id);
create index draft_notes_author on draft_notes (author_id);
