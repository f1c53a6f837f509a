-- additive
-- What uploads were called at the forges that they were imported from, as a digest.
create table imported_uploads (
  project_id bigint not null,
  source bytea not null check (octet_length(source) = 32),
  upload_id bigint not null references uploads on delete cascade,
  primary key (project_id, source)
);
create index imported_uploads_of_upload on imported_uploads (upload_id);
