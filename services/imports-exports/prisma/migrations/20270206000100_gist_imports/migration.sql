-- additive
-- Imports of the gists of users: one of each user at a time.
create table gist_imports (
  id bigint generated always as identity primary key,
  -- What its token is encrypted for.
  key uuid not null unique,
  author_id bigint not null,
  -- Address of the forge; empty for the hosted one.
  host text not null,
  -- Of the forge, encrypted; gone once the import has ended.
  token bytea,
  status text not null default 'started' check (status in ('started', 'finished', 'failed')),
  problem text,
  -- The page that is read next.
  page int not null default 1,
  imported int not null default 0,
  -- Gists that were left out, the first of them with their reasons.
  skipped int not null default 0,
  skipped_gists jsonb not null default '[]',
  -- Tries since it last got on.
  attempts int not null default 0,
  lease uuid,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  check (token is null or status = 'started')
);
create unique index gist_imports_open on gist_imports (author_id) where status = 'started';
create index gist_imports_ended on gist_imports (ended_at);
