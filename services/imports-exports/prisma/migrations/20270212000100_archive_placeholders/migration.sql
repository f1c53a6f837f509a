-- additive
-- Placeholders stand for people of archives as well: each belongs to an import from a forge, or to one of an archive.
alter table import_placeholders alter column import_id drop not null;
alter table import_placeholders add column archive_import_id bigint;
