-- Sizes of the packages of projects, as the service packages measures them.
alter table project_statistics
  add column packages_size bigint not null default 0 check (packages_size >= 0),
  add column packages_version bigint not null default 0;
