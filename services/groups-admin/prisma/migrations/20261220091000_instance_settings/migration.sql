-- Settings of the instance that administrators change while it runs.

create table instance_settings (
  id boolean primary key default true check (id),
  -- By their public names; one that was never set has its default.
  settings jsonb not null default '{}',
  -- Counts the changes.
  version bigint not null default 1,
  updated_at timestamptz(3) not null default now()
);
insert into instance_settings (id) values (true);
