alter table projects
  -- Switched on in the project; whether the tier has trains is looked up in namespaces and instance.
  add column merge_trains_enabled boolean not null default false,
  add column merge_trains_skip_train_allowed boolean not null default false,
  -- Empty: every status name of the pipeline.
  add column merge_train_required_statuses text[] not null default '{}',
  -- Minutes.
  add column merge_train_timeout integer not null default 60,
  add column merge_train_parallel_cars integer not null default 20;

-- One row: what holds for the whole instance. The default of SWITCHYARD_TIER stands until the owner's word arrives.
create table instance (
  id bigint primary key,
  tier text not null,
  deleted_at timestamptz(3)
);
insert into instance (id, tier) values (1, 'ultimate');

-- True: rows lack what newer columns hold, so the replica is read anew at the next start; readers go on with it until then.
alter table state add column refill boolean not null default false;
update state set refill = true where generation > 0;
