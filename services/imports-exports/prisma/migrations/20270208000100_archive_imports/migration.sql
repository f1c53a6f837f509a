-- additive
-- Imports of projects from archives, and where each goes on.
create table archive_imports (
  id bigint generated always as identity primary key,
  -- Names it to the other services.
  key uuid not null unique,
  -- Null until it is made.
  project_id bigint unique,
  author_id bigint not null,
  -- What the author was when it began.
  author_admin boolean not null,
  author_external boolean not null,
  request_id text not null,
  -- Id or full path; empty for that of the author.
  namespace text not null,
  name text not null,
  path text not null,
  -- Settings that stand above those of the archive.
  overrides jsonb not null,
  -- The archive; gone once the import has ended.
  blob text unique,
  -- Bytes.
  size bigint not null,
  status text not null default 'scheduled' check (status in ('scheduled', 'started', 'finished', 'failed', 'canceled')),
  problem text,
  -- The stage that is worked on, and the page that is read next.
  stage int not null default 0,
  page int not null default 1,
  -- Tries since it last got on.
  attempts int not null default 0,
  lease uuid,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  check ((blob is not null) = (status in ('scheduled', 'started')))
);
create index archive_imports_open on archive_imports (id) where status in ('scheduled', 'started');
create index archive_imports_ended on archive_imports (ended_at);
