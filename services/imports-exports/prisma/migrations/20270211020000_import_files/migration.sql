-- additive
-- Whether files come over that texts link to.
alter table project_imports add column files boolean not null default false;
-- Such files, by the digest of what they are called at the forge: where they are now, or why they are not here.
create table import_files (
  import_id bigint not null references project_imports on delete cascade,
  source bytea not null check (octet_length(source) = 32),
  link text,
  markdown text,
  reason text,
  primary key (import_id, source),
  check ((link is null) = (markdown is null) and (link is null) = (reason is not null))
);
