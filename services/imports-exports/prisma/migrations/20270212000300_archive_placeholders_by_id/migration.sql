-- no transaction
-- additive
create index concurrently import_placeholders_of_archive on import_placeholders (archive_import_id, id)
  where archive_import_id is not null;
