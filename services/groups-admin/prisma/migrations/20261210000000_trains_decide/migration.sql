alter table projects
  -- How often a failure that would be blamed is first run again; 0: never.
  add column merge_train_retries integer not null default 1 check (merge_train_retries between 0 and 3),
  -- Most cars that are tested together; 1: each on its own.
  add column merge_train_batch_size integer not null default 4 check (merge_train_batch_size between 1 and 10),
  -- Contexts that a car's pipeline must have; 0: not used.
  add column merge_train_required_status_count integer not null default 0
    check (merge_train_required_status_count between 0 and 100),
  -- Seconds.
  add column merge_train_settling_seconds integer not null default 2 check (merge_train_settling_seconds between 0 and 600);
