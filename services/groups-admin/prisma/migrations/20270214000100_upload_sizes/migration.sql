-- additive
-- Sizes of the files that texts of projects link to, as the service packages measures them with its packages.
alter table project_statistics add column uploads_size bigint not null default 0;
