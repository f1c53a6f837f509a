-- additive
-- Sizes of reports of pipelines, as the service imports-exports measures them.
alter table project_statistics add column reports_size bigint not null default 0,
  add column reports_version bigint not null default 0;
