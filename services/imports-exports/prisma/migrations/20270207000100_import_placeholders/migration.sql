-- additive
-- People of forges for whom a placeholder user stands in an imported project (ADR 67), and who took its place.
create table import_placeholders (
  id bigint generated always as identity primary key,
  import_id bigint not null references project_imports on delete cascade,
  -- The placeholder; gone once its place is taken.
  user_id bigint not null,
  -- Id at the forge.
  foreign_id text collate "C" not null,
  login text not null,
  name text not null,
  state text not null default 'pending' check (state in ('pending', 'awaiting_approval', 'reassigning', 'reassigned')),
  target_id bigint,
  requested_by_id bigint,
  attempts int not null default 0,
  lease uuid,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((state = 'pending') = (target_id is null))
);
create unique index import_placeholders_once on import_placeholders (import_id, foreign_id);
create index import_placeholders_of_import on import_placeholders (import_id, id);
create index import_placeholders_open on import_placeholders (id) where state = 'reassigning';
