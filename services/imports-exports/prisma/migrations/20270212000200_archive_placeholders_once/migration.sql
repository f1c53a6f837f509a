-- no transaction
-- additive
create unique index concurrently import_placeholders_of_archive_once on import_placeholders (archive_import_id, foreign_id)
  where archive_import_id is not null;
