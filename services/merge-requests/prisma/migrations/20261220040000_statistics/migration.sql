-- Sizes of repositories, measured some seconds after pushes and once a day.
alter table repositories
  add column size bigint not null default 0,
  -- Of the default branch, up to `counted_sha`.
  add column commit_count bigint not null default 0,
  add column counted_sha text,
  -- Grows with every measurement.
  add column measure_version bigint not null default 0,
  -- When it is measured next; null until the first push.
  add column measure_at timestamptz(3);
update repositories set measure_at = now() where state = 'created';
create index repositories_to_measure on repositories (measure_at, project_id);
