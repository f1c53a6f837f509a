-- additive
-- When the reports of a project are measured next: some seconds after one of them came or expired, and once a day.
create table report_measurements (
  project_id bigint primary key,
  measure_at timestamptz(3) not null,
  -- Grows with every measurement.
  version bigint not null default 0
);
create index report_measurements_due on report_measurements (measure_at, project_id);
insert into report_measurements (project_id, measure_at) select distinct project_id, now() from dependency_reports;
