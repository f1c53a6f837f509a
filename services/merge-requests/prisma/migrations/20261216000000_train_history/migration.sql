alter table merge_trains
  -- Its last landing.
  add column landed_at timestamptz(3),
  -- Set while it is paused: what this pause adds to the counters is known when it ends.
  add column paused_since timestamptz(3),
  -- Set while it has green results and lands nothing.
  add column stuck_since timestamptz(3);
create index merge_trains_stuck on merge_trains (id) where stuck_since is not null;

-- The oldest and the newest of a train, given up ones included: what is kept is counted from the newest.
create index merge_train_runs_by_id on merge_train_runs (train_id, id);
