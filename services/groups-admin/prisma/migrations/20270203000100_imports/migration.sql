-- Projects that came in from another forge.
alter table projects
  drop constraint projects_import_status_check,
  add constraint projects_import_status_check
    check (import_status in ('none', 'scheduled', 'started', 'finished', 'failed', 'canceled')),
  -- Names the import for good: a project is made of it once.
  add column import_key uuid,
  -- `github`, `bitbucket` or `bitbucket_server`.
  add column import_type text,
  -- What the forge calls the repository.
  add column import_source text;
create unique index projects_import_key on projects (import_key) where import_key is not null;
