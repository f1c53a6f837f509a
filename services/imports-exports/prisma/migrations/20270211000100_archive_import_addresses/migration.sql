-- additive
-- Address from which an import was asked for, until it ends: the group that it goes to may be closed to it.
alter table archive_imports add column address text;
