-- additive
-- How often an import was done again.
alter table project_imports add column refreshes int not null default 0;
-- A refresh brings what changed at the forge since then; null: everything. Of lists that cannot say it, the names that
-- have come over are left out.
alter table import_stages
  add column since timestamptz(3),
  add column known text[] not null default '{}';
