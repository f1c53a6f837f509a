-- Indexes carry the names PostgreSQL derives: a rebuild makes fresh tables by LIKE, which derives the same ones.

create table state (
  id boolean primary key default true check (id),
  -- Last change applied.
  sequence bigint not null,
  -- Counts rebuilds; 0: never filled.
  generation bigint not null
);
insert into state (sequence, generation) values (0, 0);

create table users (
  id bigint primary key,
  username text not null,
  name text not null,
  state text not null,
  avatar_url text,
  public_email text,
  commit_email text,
  email text,
  admin boolean not null,
  external boolean not null,
  bot boolean not null,
  -- The ghost user that stands in for a deleted one.
  ghost_id bigint,
  created_at timestamptz(3),
  deleted_at timestamptz(3)
);
create index on users (lower(username));

create table namespaces (
  id bigint primary key,
  kind text not null,
  name text not null,
  path text not null,
  full_path text not null,
  full_name text not null,
  -- Ids from the root down to this namespace itself.
  ancestry bigint[] not null,
  visibility text not null,
  owner_id bigint,
  avatar_url text,
  deleting boolean not null,
  tier text,
  deleted_at timestamptz(3)
);
create index on namespaces using gin (ancestry);
create index on namespaces (lower(full_path));
create index on namespaces (owner_id) where owner_id is not null;
create index on namespaces (deleting) where deleting and deleted_at is null;

create table projects (
  id bigint primary key,
  namespace_id bigint not null,
  name text not null,
  path text not null,
  visibility text not null,
  default_branch text,
  archived boolean not null,
  deleting boolean not null,
  avatar_url text,
  creator_id bigint,
  merge_method text not null,
  squash_option text not null,
  only_allow_merge_if_pipeline_succeeds boolean not null,
  allow_merge_on_skipped_pipeline boolean not null,
  only_allow_merge_if_all_discussions_are_resolved boolean not null,
  remove_source_branch_after_merge boolean not null,
  merge_requests_enabled boolean not null,
  issues_enabled boolean not null,
  repository_access_level text not null,
  initialize_with_readme boolean not null,
  merge_commit_template text,
  squash_commit_template text,
  deleted_at timestamptz(3)
);
create index on projects (namespace_id);

create table memberships (
  id bigint primary key,
  user_id bigint not null,
  namespace_id bigint,
  project_id bigint,
  access_level integer not null,
  expires_at timestamptz(3),
  deleted_at timestamptz(3),
  check ((namespace_id is null) <> (project_id is null))
);
create index on memberships (user_id) where deleted_at is null;
create index on memberships (project_id) where deleted_at is null;
create index on memberships (namespace_id) where deleted_at is null;

create table labels (
  id bigint primary key,
  project_id bigint,
  namespace_id bigint,
  title text not null,
  color text not null,
  description text,
  deleted_at timestamptz(3)
);
create index on labels (project_id, title);
create index on labels (namespace_id, title);

create table milestones (
  id bigint primary key,
  iid bigint not null,
  project_id bigint,
  namespace_id bigint,
  title text not null,
  description text,
  state text not null,
  due_date date,
  start_date date,
  created_at timestamptz(3),
  updated_at timestamptz(3),
  deleted_at timestamptz(3)
);
create index on milestones (project_id, title);
create index on milestones (namespace_id, title);
