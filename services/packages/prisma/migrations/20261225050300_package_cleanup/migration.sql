-- What the packages of a project keep, and how far the run of the day has come: packages with greater ids are to do.
create table package_cleanup_policies (
  project_id bigint primary key,
  keep_files int check (keep_files between 1 and 1000),
  keep_versions int check (keep_versions between 1 and 1000),
  older_than_days int check (older_than_days between 1 and 3650),
  next_run_at timestamptz(3) not null,
  done_until bigint not null default 0,
  updated_at timestamptz(3) not null default now()
);
create index package_cleanup_policies_due on package_cleanup_policies (next_run_at, project_id);
