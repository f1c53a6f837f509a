-- When the snippets of a project are measured next: some seconds after one of them changed, and once a day.
create table snippet_measurements (
  project_id bigint primary key,
  measure_at timestamptz(3) not null,
  -- Grows with every measurement.
  version bigint not null default 0
);
create index snippet_measurements_due on snippet_measurements (measure_at, project_id);
insert into snippet_measurements (project_id, measure_at) select distinct project_id, now() from snippets;
