-- A group or project shared with a group: its members, inherited ones included, are members here too, at no more than this level.
create table group_shares (
  id bigint primary key generated always as identity,
  -- What is shared: one of the two.
  namespace_id bigint references namespaces,
  project_id bigint references projects,
  -- The invited group.
  group_id bigint not null references namespaces,
  access_level integer not null check (access_level in (10, 15, 20, 30, 40, 50)),
  -- When it ceases to count, compared with now on every use.
  expires_at timestamptz(3),
  created_by_id bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((namespace_id is null) <> (project_id is null)),
  check (namespace_id is distinct from group_id)
);
-- The shares of one target, for a look-up of one project or group; no second share of a pair.
create unique index group_shares_group_pair on group_shares (namespace_id, group_id) where namespace_id is not null;
create unique index group_shares_project_pair on group_shares (project_id, group_id) where project_id is not null;
-- What is shared with the groups of one viewer, for lists.
create index group_shares_invited on group_shares (group_id, id);
create index group_shares_expiry on group_shares (expires_at, id) where expires_at is not null;

-- What a viewer sees is then found by indexes alone, each for its way, where few groups are open to all.
create index namespaces_visibility on namespaces (visibility, id);
