-- Forks. The relation may be removed and made again; where the first content of the repository comes from never changes.
alter table projects
  add column forked_from_project_id bigint references projects (id),
  -- The root of the network, which may be gone by now.
  add column fork_network_id bigint,
  -- The project whose repository was copied, which may be gone by now.
  add column repository_origin_id bigint,
  -- The only branch that was copied; null: all of them.
  add column repository_origin_branch text,
  add column import_status text not null default 'none'
    check (import_status in ('none', 'scheduled', 'started', 'finished', 'failed')),
  add column import_error text,
  add constraint projects_not_own_fork check (forked_from_project_id <> id);
create index projects_forked_from on projects (forked_from_project_id, id) where forked_from_project_id is not null;
