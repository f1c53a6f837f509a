-- additive
-- Of the project in the archive, in place of its own.
alter table project_exports add column description text;
