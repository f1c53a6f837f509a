-- What a maintainer, or the train itself, has decided about it, and what it remembers of cars that failed (D8).
alter table merge_trains
  add column control_state text not null default 'running' check (control_state in ('running', 'paused', 'draining')),
  add column control_reason text,
  -- From then on the train runs again by itself.
  add column control_until timestamptz(3),
  -- Empty when the train stopped itself.
  add column control_user_id bigint,
  add column control_changed_at timestamptz(3),
  -- It stopped itself: cars in a row failed for one status name.
  add column target_failing boolean not null default false,
  -- What it does once a probe has passed.
  add column resumes_as text not null default 'running' check (resumes_as in ('running', 'draining')),
  -- Cars that left for a failure since the last landing: [{carId, names}].
  add column streak jsonb not null default '[]',
  -- The pipeline on the tip of the target branch that is to show whether the branch itself fails.
  add column probe_pipeline_id bigint references pipelines (id) on delete set null,
  add column probe_sha text,
  -- The settings of the project that it has seen.
  add column settings_digest text,
  -- One more with every saved change.
  add column version bigint not null default 0,
  -- What a maintainer had decided before the train stopped itself.
  add column resumes_reason text,
  add column resumes_until timestamptz(3),
  -- Moving average of how often a car fails, 0 to 1: what the size of batches follows.
  add column failure_rate double precision not null default 0.05,
  -- When something falls due that no event announces: a time-out, the end of a pause, a status that has settled.
  add column due_at timestamptz(3);
create index merge_trains_due on merge_trains (due_at) where due_at is not null;
create index merge_trains_probe on merge_trains (probe_pipeline_id) where probe_pipeline_id is not null;

alter table merge_train_cars
  -- Order of the queue: rank, then id. One that a maintainer puts first has a lower rank than all others.
  add column rank bigint not null default 0,
  -- The first car of those that are tested together with this one; empty for one that is tested alone.
  add column batch_id bigint,
  -- It belonged to a batch that failed: it is tested alone.
  add column alone boolean not null default false,
  add column verdict text not null default 'pending' check (verdict in ('pending', 'green', 'failed', 'canceled', 'late')),
  -- The names that failed last on its commit.
  add column failed_names text[] not null default '{}',
  -- How often its commit was tested again in a new pipeline.
  add column reruns integer not null default 0,
  -- It could not be built on this commit, and waits until what is ahead of it changes.
  add column held_onto text,
  add column held_reason text check (held_reason in ('conflict', 'no_changes', 'build_failed')),
  -- Median and 90th percentile of its landing as last forecast.
  add column expected_at timestamptz(3),
  add column expected_by timestamptz(3);
drop index merge_train_cars_queue;
create index merge_train_cars_queue on merge_train_cars (train_id, rank, id) where status in ('idle', 'stale', 'fresh', 'merging');

-- Members of a batch land by one move of the branch, from the base of the first to the tip of the last.
alter table merge_request_merges
  add column moves_from text,
  add column moves_to text;
create index merge_request_merges_batch on merge_request_merges (project_id, moves_to) where moves_to is not null;

alter table landing_receipts
  -- Numbers of the merge requests that were tested and landed together, in order; empty for one tested alone.
  add column batch_iids bigint[] not null default '{}',
  -- How often the tested commit was tested again before it passed.
  add column reruns integer not null default 0;
create index landing_receipts_of_branch on landing_receipts (project_id, target_branch, landed_at);

-- Who decided what about a train, and when: never changed.
create table merge_train_control_changes (
  id bigint generated always as identity primary key,
  train_id bigint not null references merge_trains (id) on delete cascade,
  state text not null check (state in ('running', 'paused', 'draining')),
  reason text,
  until timestamptz(3),
  -- Empty when the train did it.
  user_id bigint,
  created_at timestamptz(3) not null default now()
);
create index merge_train_control_changes_of_train on merge_train_control_changes (train_id, id);

-- One row per pipeline that a train opened: what forecasts and statistics rest on.
create table merge_train_runs (
  id bigint generated always as identity primary key,
  train_id bigint not null references merge_trains (id) on delete cascade,
  pipeline_id bigint not null,
  sha text not null,
  -- Cars that it tests; 0 for a probe of the target branch.
  cars integer not null,
  rerun boolean not null default false,
  opened_at timestamptz(3) not null,
  -- When its verdict was known; empty while it runs, and for one that was given up.
  finished_at timestamptz(3),
  verdict text check (verdict in ('green', 'failed', 'canceled', 'late')),
  constraint merge_train_runs_pipeline unique (pipeline_id)
);
create index merge_train_runs_of_train on merge_train_runs (train_id, finished_at) where finished_at is not null;

-- Who left a train, landings included, and why: never changed.
create table merge_train_departures (
  id bigint generated always as identity primary key,
  train_id bigint not null references merge_trains (id) on delete cascade,
  car_id bigint not null,
  merge_request_id bigint not null,
  merge_request_iid bigint not null,
  title text not null,
  -- `merged`, or the reason of the removal.
  reason text not null,
  -- What landed, or what was tested last.
  sha text,
  evidence jsonb,
  -- Who took it off; empty when no user did.
  user_id bigint,
  at timestamptz(3) not null,
  constraint merge_train_departures_car unique (car_id)
);
create index merge_train_departures_of_train on merge_train_departures (train_id, id);

-- Counters of one day of a train: landings, removals by reason, builds, failures and flakes by status name, and the
-- buckets of its distributions. A statistic reads one row per day and name, however long the history.
create table merge_train_measures (
  train_id bigint not null references merge_trains (id) on delete cascade,
  day date not null,
  measure text not null,
  name text not null default '',
  value bigint not null,
  primary key (train_id, day, measure, name)
);
