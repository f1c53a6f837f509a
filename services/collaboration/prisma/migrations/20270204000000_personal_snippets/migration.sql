-- Snippets that lie in no project, and snippets that were imported.
alter table snippets
  alter column project_id drop not null,
  -- Kind of the forge, as `imported_from` prints it, and what names the snippet there; null for one that was made here.
  add column imported_from text,
  add column foreign_id text,
  add constraint snippets_imported check ((imported_from is null) = (foreign_id is null));

create unique index snippets_imported_once on snippets (author_id, imported_from, foreign_id) where foreign_id is not null;

-- The lists of personal snippets: of an author, of everybody, and what is open to all.
create index snippets_personal_of_author on snippets (author_id, id) where project_id is null;
create index snippets_personal on snippets (id) where project_id is null;
create index snippets_personal_open on snippets (id) where project_id is null and visibility <> 'private';
