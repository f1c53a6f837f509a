-- additive
-- What of an archive was left out of its project; it goes with the import.
create table archive_import_failures (
  id bigint generated always as identity primary key,
  import_id bigint not null references archive_imports on delete cascade,
  stage text not null,
  item text not null,
  reason text not null,
  created_at timestamptz(3) not null default now()
);
create unique index archive_import_failures_once on archive_import_failures (import_id, stage, item);
