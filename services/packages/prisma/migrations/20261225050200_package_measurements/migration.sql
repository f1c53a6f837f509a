-- Projects whose packages are to be measured, and the version of the last measurement.
create table package_measurements (
  project_id bigint primary key,
  measure_at timestamptz(3) not null,
  version bigint not null default 0
);
create index package_measurements_due on package_measurements (measure_at, project_id);
