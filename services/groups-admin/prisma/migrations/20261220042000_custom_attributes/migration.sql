-- Custom attributes of users, groups and projects. They go with their owner: no event and no change of the directory
-- reports them, so the foreign keys cascade.
create table custom_attributes (
  id bigint generated always as identity primary key,
  user_id bigint references users (id) on delete cascade,
  namespace_id bigint references namespaces (id) on delete cascade,
  project_id bigint references projects (id) on delete cascade,
  key text not null check (key <> ''),
  value text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (num_nonnulls(user_id, namespace_id, project_id) = 1)
);
create unique index custom_attributes_user_key on custom_attributes (user_id, key) where user_id is not null;
create unique index custom_attributes_group_key on custom_attributes (namespace_id, key) where namespace_id is not null;
create unique index custom_attributes_project_key on custom_attributes (project_id, key) where project_id is not null;
create index custom_attributes_user on custom_attributes (user_id, id) where user_id is not null;
create index custom_attributes_group on custom_attributes (namespace_id, id) where namespace_id is not null;
create index custom_attributes_project on custom_attributes (project_id, id) where project_id is not null;
-- Filters of the lists.
create index custom_attributes_user_value on custom_attributes (key, value, user_id) where user_id is not null;
create index custom_attributes_group_value on custom_attributes (key, value, namespace_id) where namespace_id is not null;
create index custom_attributes_project_value on custom_attributes (key, value, project_id) where project_id is not null;
