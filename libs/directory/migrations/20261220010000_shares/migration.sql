create table shares (
  id bigint primary key,
  namespace_id bigint,
  project_id bigint,
  -- The invited group.
  group_id bigint not null,
  access_level integer not null,
  expires_at timestamptz(3),
  deleted_at timestamptz(3),
  check ((namespace_id is null) <> (project_id is null))
);
create index on shares (namespace_id) where deleted_at is null;
create index on shares (project_id) where deleted_at is null;
create index on shares (group_id);
alter table shares set (autovacuum_analyze_threshold = 5, autovacuum_analyze_scale_factor = 0.05);

-- Shares of before this table are read at the next start.
update state set refill = true where generation > 0;
