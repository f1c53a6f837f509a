-- The queue of one target branch (D8). Its row is locked by every change of the train.
create table merge_trains (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  target_branch text not null,
  -- Where the train believes the target branch to stand: its last landing, or what was read from git.
  base_sha text,
  -- How often the branch was reported to have moved, and how much of that the train has looked at.
  target_moves bigint not null default 0,
  target_seen bigint not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint merge_trains_branch unique (project_id, target_branch)
);

-- A car: an entry of a train, waiting, being tested, or landed. One that leaves is deleted (G-3-2).
create table merge_train_cars (
  id bigint generated always as identity primary key,
  train_id bigint not null references merge_trains (id) on delete cascade,
  project_id bigint not null,
  target_branch text not null,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null,
  status text not null default 'idle'
    check (status in ('idle', 'stale', 'fresh', 'merging', 'merged', 'skip_merged')),
  -- Head of the source branch when it boarded; a push takes the car off the train.
  source_sha text not null,
  squash boolean not null,
  remove_source_branch boolean not null,
  merge_commit_message text,
  squash_commit_message text,
  -- The commit that will land and what it was built on; empty until it is built.
  onto_sha text,
  sha text,
  tree_sha text,
  merge_commit_sha text,
  squash_commit_sha text,
  method text check (method in ('merge', 'ff', 'rebase_merge')),
  pipeline_id bigint references pipelines (id) on delete set null,
  built_at timestamptz(3),
  -- How often in a row building it has failed for no fault of its own.
  build_failures integer not null default 0,
  -- What is told of the push that the landing will be; found out while the car is built, so that landing it need not.
  commit_count integer,
  commit_title text,
  readme_path text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  merged_at timestamptz(3),
  duration integer
);
-- A merge request is on one train at most.
create unique index merge_train_cars_active on merge_train_cars (merge_request_id)
  where status in ('idle', 'stale', 'fresh', 'merging');
create index merge_train_cars_queue on merge_train_cars (train_id, id) where status in ('idle', 'stale', 'fresh', 'merging');
create index merge_train_cars_of_merge_request on merge_train_cars (merge_request_id, id);
create index merge_train_cars_of_pipeline on merge_train_cars (pipeline_id) where pipeline_id is not null;
create index merge_train_cars_list on merge_train_cars (project_id, id);
create index merge_train_cars_list_complete on merge_train_cars (project_id, id)
  where status in ('merging', 'merged', 'skip_merged');
create index merge_train_cars_list_active on merge_train_cars (project_id, id) where status in ('idle', 'stale', 'fresh');
create index merge_train_cars_branch on merge_train_cars (project_id, target_branch, id);

-- What a landing was: written in the transaction that makes its merge request merged, and never changed. It outlives its merge request.
create table landing_receipts (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  merge_request_id bigint not null,
  merge_request_iid bigint not null,
  car_id bigint not null,
  target_branch text not null,
  method text not null check (method in ('merge', 'ff', 'rebase_merge')),
  squash boolean not null,
  -- Head of the source branch, and the target branch before the landing.
  head_sha text not null,
  base_sha text not null,
  -- The commit that the pipeline ran on; empty for one that skipped the train.
  tested_sha text,
  tested_tree text,
  pipeline_id bigint,
  pipeline_status text,
  -- Newest report of each name when it landed: [{id, name, status, allow_failure, finished_at}].
  statuses jsonb not null default '[]',
  required_statuses text[] not null default '{}',
  landed_sha text not null,
  landed_tree text not null,
  merge_commit_sha text,
  squash_commit_sha text,
  added_by_id bigint not null,
  boarded_at timestamptz(3) not null,
  built_at timestamptz(3),
  tested_at timestamptz(3),
  landed_at timestamptz(3) not null,
  constraint landing_receipts_car unique (car_id)
);
create index landing_receipts_of_merge_request on landing_receipts (merge_request_id, id);
create index landing_receipts_list on landing_receipts (project_id, id);

-- What the verifier found: receipts without a row are still to be looked at.
create table landing_verifications (
  receipt_id bigint primary key references landing_receipts (id) on delete cascade,
  -- Each way in which git and the receipt differ, in words; empty when they agree.
  differences text[] not null,
  verified_at timestamptz(3) not null default now()
);
create index landing_verifications_differing on landing_verifications (receipt_id) where differences <> '{}';

-- A landing of a train carries its car; one that skips the train says so.
-- What decided for it is kept as it was then, for the receipt: reports go on coming in, and settings change.
alter table merge_request_merges add column car_id bigint, add column skips_train boolean not null default false,
  add column tree_sha text, add column method text, add column squash boolean, add column pipeline_id bigint,
  add column pipeline_status text, add column statuses jsonb not null default '[]',
  add column required_statuses text[] not null default '{}', add column tested_at timestamptz(3);

-- While a worker has a job nobody else takes it, however often it is asked for; the lease is renewed while the worker lives.
alter table jobs add column leased_until timestamptz(3);
