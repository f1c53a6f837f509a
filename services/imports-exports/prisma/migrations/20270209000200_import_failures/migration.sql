-- additive
-- Items that an import could not bring over, at most 100 of each.
create table import_failures (
  id bigint generated always as identity primary key,
  import_id bigint not null references project_imports on delete cascade,
  stage text not null,
  -- What the item is called at the forge.
  item text not null,
  reason text not null,
  created_at timestamptz(3) not null default now()
);
create index import_failures_of_import on import_failures (import_id, id);
