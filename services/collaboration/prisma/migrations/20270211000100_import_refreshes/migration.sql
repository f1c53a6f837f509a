-- additive
-- What an import wrote of an issue: a digest of each field. A refresh overwrites no field that has another value now.
create table issue_imports (
  issue_id bigint primary key references issues on delete cascade,
  fields jsonb not null
);
-- The same of a note, whose only field is its text: a digest of it; null for notes that did not come in.
alter table notes add column imported_body bytea;
