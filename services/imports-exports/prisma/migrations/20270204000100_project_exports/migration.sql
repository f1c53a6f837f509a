-- Exports of projects: the newest of each counts, and one of each is made at a time.
create table project_exports (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  author_id bigint not null,
  status text not null default 'queued' check (status in ('queued', 'started', 'finished', 'failed')),
  problem text,
  attempts int not null default 0,
  lease uuid,
  leased_until timestamptz(3),
  blob text unique,
  size bigint,
  sha256 bytea,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  expires_at timestamptz(3) not null
);
create unique index project_exports_waiting on project_exports (project_id) where status in ('queued', 'started');
create index project_exports_of_project on project_exports (project_id, id);
create index project_exports_by_expiry on project_exports (expires_at);
