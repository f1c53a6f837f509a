-- additive
-- How often an import was done again.
alter table project_imports add column refreshes int not null default 0;
-- A refresh brings what changed at the forge since then; null: everything. Lists that cannot say it are looked at from
-- their end: the page that was last and a digest of it, and the names that have come over.
alter table import_stages
  add column since timestamptz(3),
  add column last_page int,
  add column last_digest text,
  add column known text[] not null default '{}';
