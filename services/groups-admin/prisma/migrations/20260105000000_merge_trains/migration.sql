alter table projects
  -- Empty: every status name of an entry's pipeline counts.
  add column merge_train_required_statuses text[] not null default '{}'
    check (cardinality(merge_train_required_statuses) <= 50),
  -- Minutes.
  add column merge_train_timeout integer not null default 60 check (merge_train_timeout between 1 and 1440),
  add column merge_train_parallel_cars integer not null default 20 check (merge_train_parallel_cars between 1 and 100);

-- What the directory says of the instance as a whole: one row, written at the first start.
create table instance (
  id bigint primary key check (id = 1),
  tier text not null check (tier in ('free', 'premium', 'ultimate'))
);
