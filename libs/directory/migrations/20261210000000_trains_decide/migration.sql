alter table projects
  add column merge_train_retries integer not null default 1,
  add column merge_train_batch_size integer not null default 4,
  -- 0: not used.
  add column merge_train_required_status_count integer not null default 0,
  -- Seconds.
  add column merge_train_settling_seconds integer not null default 2;

-- Rows of before these columns are read anew at the next start.
update state set refill = true where generation > 0;
