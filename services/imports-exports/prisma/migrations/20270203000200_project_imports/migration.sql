-- Imports of projects, each in stages, of which each has a place where it goes on.
create table project_imports (
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
  forge text not null check (forge in ('github', 'bitbucket', 'bitbucket_server')),
  -- Address of the forge; empty for the hosted one.
  host text not null,
  -- The repository as the forge described it.
  repository jsonb not null,
  namespace text not null,
  name text not null,
  page_size int not null check (page_size between 1 and 100),
  optimistic boolean not null,
  -- Of the forge, encrypted; gone once the import has ended.
  token bytea,
  status text not null default 'scheduled' check (status in ('scheduled', 'started', 'finished', 'failed', 'canceled')),
  problem text,
  -- The status that groups-admin knows.
  announced text not null default '',
  -- Tries since it last got on.
  attempts int not null default 0,
  lease uuid,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  check (token is null or status in ('scheduled', 'started'))
);
create index project_imports_open on project_imports (id) where status <> announced or status in ('scheduled', 'started');

create table import_stages (
  import_id bigint not null references project_imports on delete cascade,
  position int not null,
  name text not null,
  -- The page that is read next.
  page int not null default 1,
  fetched int not null default 0,
  imported int not null default 0,
  done boolean not null default false,
  started_at timestamptz(3),
  primary key (import_id, position)
);
