-- additive
-- Level in the project of who takes the place of a placeholder; 0 for none.
alter table import_placeholders add column level int not null default 0;
