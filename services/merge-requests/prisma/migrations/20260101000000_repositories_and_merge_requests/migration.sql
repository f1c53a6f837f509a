-- Repositories, ref changes, protected branches, merge requests, pipelines and commit statuses.
-- Every index that serves a list ends in id (D7). Projects, users, labels and milestones are ids of the directory (D5), so they
-- carry no foreign keys.

create table iid_counters (
  project_id bigint not null,
  scope text not null check (scope in ('merge_requests', 'pipelines')),
  last_iid bigint not null check (last_iid > 0),
  primary key (project_id, scope)
);

create table repositories (
  project_id bigint primary key,
  state text not null default 'absent' check (state in ('absent', 'created')),
  default_branch text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  last_pushed_at timestamptz(3)
);

create table ref_change_intents (
  id bigint generated always as identity primary key,
  push_id uuid not null,
  project_id bigint not null,
  ref text not null,
  old_sha text not null,
  new_sha text not null,
  actor_id bigint not null,
  source text not null check (source in ('push', 'api', 'merge', 'internal')),
  -- What asked for the change, e.g. `merge_request:12`.
  cause text,
  state text not null default 'open' check (state in ('open', 'done', 'failed')),
  created_at timestamptz(3) not null default now(),
  settled_at timestamptz(3),
  -- When every subscriber had been told; until then they are told again at `handle_at`.
  handled_at timestamptz(3),
  handle_at timestamptz(3),
  handle_attempts integer not null default 0,
  unique (push_id, ref)
);
create index ref_change_intents_open on ref_change_intents (project_id, id) where state = 'open';
create index ref_change_intents_unhandled on ref_change_intents (project_id, id) where state = 'done' and handled_at is null;
create index ref_change_intents_settled on ref_change_intents (settled_at, id) where state <> 'open';

create table protected_branches (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  name text not null check (name <> ''),
  push_access_level integer not null default 40 check (push_access_level in (0, 30, 40, 60)),
  merge_access_level integer not null default 40 check (merge_access_level in (0, 30, 40, 60)),
  allow_force_push boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint protected_branches_name unique (project_id, name)
);
create index protected_branches_list on protected_branches (project_id, id);

create table pipelines (
  id bigint generated always as identity primary key,
  iid bigint not null,
  project_id bigint not null,
  sha text not null,
  before_sha text,
  ref text not null,
  tag boolean not null default false,
  source text not null,
  status text not null check (status in ('created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'running',
    'success', 'failed', 'canceling', 'canceled', 'skipped', 'manual', 'scheduled')),
  user_id bigint not null,
  merge_request_id bigint,
  name text,
  coverage numeric(5, 2),
  yaml_errors text,
  committed_at timestamptz(3),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  duration integer check (duration >= 0),
  queued_duration integer check (queued_duration >= 0),
  archived boolean not null default false,
  lock_version integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint pipelines_iid unique (project_id, iid)
);
create index pipelines_by_id on pipelines (project_id, id);
create index pipelines_by_status on pipelines (project_id, status, id);
create index pipelines_by_ref on pipelines (project_id, ref, id);
create index pipelines_by_ref_status on pipelines (project_id, ref, status, id);
create index pipelines_by_user on pipelines (project_id, user_id, id);
create index pipelines_by_updated_at on pipelines (project_id, updated_at, id);
create index pipelines_by_sha on pipelines (project_id, sha, ref, id);
create index pipelines_by_merge_request on pipelines (merge_request_id, id) where merge_request_id is not null;

create table commit_statuses (
  id bigint generated always as identity primary key,
  pipeline_id bigint not null references pipelines (id) on delete cascade,
  project_id bigint not null,
  sha text not null,
  ref text not null,
  name text not null,
  status text not null check (status in ('created', 'pending', 'running', 'success', 'failed', 'canceled', 'skipped')),
  target_url text,
  description text,
  coverage numeric(5, 2),
  allow_failure boolean not null default false,
  -- A name reported again after its final state starts a new row; the older one is kept and no longer counts.
  retried boolean not null default false,
  user_id bigint not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3)
);
create unique index commit_statuses_current on commit_statuses (pipeline_id, name) where not retried;
create index commit_statuses_of_pipeline on commit_statuses (pipeline_id, id);
create index commit_statuses_of_commit on commit_statuses (project_id, sha, id);

create table merge_requests (
  id bigint generated always as identity primary key,
  iid bigint not null,
  -- Target project; the one whose number space `iid` lies in.
  project_id bigint not null,
  source_project_id bigint not null,
  source_branch text not null,
  target_branch text not null,
  author_id bigint not null,
  title text not null check (char_length(title) between 1 and 255),
  description text,
  state text not null default 'opened' check (state in ('opened', 'closed', 'locked', 'merged')),
  draft boolean not null default false,
  task_count integer not null default 0,
  completed_task_count integer not null default 0,
  source_sha text,
  target_sha text,
  source_branch_exists boolean not null default true,
  merge_status text not null default 'unchecked' check (merge_status in
    ('unchecked', 'checking', 'can_be_merged', 'cannot_be_merged', 'cannot_be_merged_recheck', 'cannot_be_merged_rechecking', 'preparing')),
  -- Grows with every push to either side; a check that was started for an older generation is thrown away.
  merge_status_generation integer not null default 0,
  needs_rebase boolean not null default false,
  merge_error text,
  rebase_in_progress boolean not null default false,
  squash boolean not null default false,
  force_remove_source_branch boolean,
  should_remove_source_branch boolean,
  allow_collaboration boolean not null default false,
  approvals_before_merge integer,
  discussion_locked boolean,
  milestone_id bigint,
  merge_after timestamptz(3),
  prepared_at timestamptz(3),
  auto_merge_strategy text,
  auto_merge_user_id bigint,
  auto_merge_sha text,
  merge_commit_message text,
  squash_commit_message text,
  merge_commit_sha text,
  squash_commit_sha text,
  merge_user_id bigint,
  merged_at timestamptz(3),
  closed_by_id bigint,
  closed_at timestamptz(3),
  head_pipeline_id bigint references pipelines (id) on delete set null,
  latest_diff_id bigint,
  changes_count integer,
  user_notes_count integer not null default 0,
  upvotes integer not null default 0,
  downvotes integer not null default 0,
  unresolved_discussions_count integer not null default 0,
  time_estimate integer not null default 0,
  total_time_spent integer not null default 0,
  imported_from text not null default 'none',
  lock_version integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint merge_requests_iid unique (project_id, iid)
);
-- Of two concurrent creations for the same branches one fails (G-4.2-4).
create unique index merge_requests_open_branches
  on merge_requests (source_project_id, source_branch, project_id, target_branch) where state in ('opened', 'locked');
create index merge_requests_open_source on merge_requests (source_project_id, source_branch, id) where state in ('opened', 'locked');
create index merge_requests_open_target on merge_requests (project_id, target_branch, id) where state in ('opened', 'locked');
create index merge_requests_by_created_at on merge_requests (project_id, created_at, id);
create index merge_requests_by_updated_at on merge_requests (project_id, updated_at, id);
create index merge_requests_by_title on merge_requests (project_id, title, id);
create index merge_requests_by_merged_at on merge_requests (project_id, merged_at, id);
create index merge_requests_by_state_created_at on merge_requests (project_id, state, created_at, id);
create index merge_requests_by_state_updated_at on merge_requests (project_id, state, updated_at, id);
create index merge_requests_all_by_created_at on merge_requests (created_at, id);
create index merge_requests_all_by_updated_at on merge_requests (updated_at, id);
create index merge_requests_all_by_title on merge_requests (title, id);
create index merge_requests_all_by_merged_at on merge_requests (merged_at, id);
create index merge_requests_by_author on merge_requests (author_id, created_at, id);
create index merge_requests_by_author_updated_at on merge_requests (author_id, updated_at, id);
create index merge_requests_by_milestone on merge_requests (milestone_id, id) where milestone_id is not null;
create index merge_requests_by_merge_user on merge_requests (merge_user_id, id) where merge_user_id is not null;
create index merge_requests_by_source_branch on merge_requests (source_project_id, source_branch, id);
create index merge_requests_by_target_branch on merge_requests (project_id, target_branch, id);
create index merge_requests_by_source_sha on merge_requests (source_project_id, source_sha, id);
create index merge_requests_by_head_pipeline on merge_requests (head_pipeline_id) where head_pipeline_id is not null;
create index merge_requests_unchecked on merge_requests (project_id, target_branch, id)
  where state = 'opened' and merge_status in ('unchecked', 'checking', 'cannot_be_merged_recheck', 'cannot_be_merged_rechecking', 'preparing');
create index merge_requests_auto_merge on merge_requests (project_id, id) where auto_merge_strategy is not null and state = 'opened';
create index merge_requests_locked on merge_requests (id) where state = 'locked';

alter table pipelines add constraint pipelines_merge_request
  foreign key (merge_request_id) references merge_requests (id) on delete set null;

create table merge_request_assignees (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null,
  created_at timestamptz(3) not null default now(),
  primary key (merge_request_id, user_id)
);
create index merge_request_assignees_of_user on merge_request_assignees (user_id, merge_request_id);

create table merge_request_reviewers (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null,
  state text not null default 'unreviewed' check (state in
    ('unreviewed', 'reviewed', 'requested_changes', 'approved', 'unapproved', 'review_started')),
  created_at timestamptz(3) not null default now(),
  primary key (merge_request_id, user_id)
);
create index merge_request_reviewers_of_user on merge_request_reviewers (user_id, merge_request_id);

create table merge_request_labels (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  label_id bigint not null,
  primary key (merge_request_id, label_id)
);
create index merge_request_labels_of_label on merge_request_labels (label_id, merge_request_id);

create table merge_request_participants (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null,
  created_at timestamptz(3) not null default now(),
  primary key (merge_request_id, user_id)
);

create table merge_request_subscriptions (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null,
  subscribed boolean not null,
  primary key (merge_request_id, user_id)
);

create table merge_request_diffs (
  id bigint generated always as identity primary key,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  base_sha text not null,
  head_sha text not null,
  start_sha text not null,
  commits_count integer not null default 0,
  files_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  constraint merge_request_diffs_version unique (merge_request_id, head_sha, start_sha)
);
create index merge_request_diffs_list on merge_request_diffs (merge_request_id, id);
alter table merge_requests add constraint merge_requests_latest_diff
  foreign key (latest_diff_id) references merge_request_diffs (id) on delete set null;

-- The plan of a merge, committed with state `locked` before the target ref moves (D7): what recovery needs to finish or undo it.
create table merge_request_merges (
  merge_request_id bigint primary key references merge_requests (id) on delete cascade,
  push_id uuid not null,
  project_id bigint not null,
  target_branch text not null,
  old_sha text not null,
  new_sha text not null,
  source_sha text not null,
  merge_commit_sha text,
  squash_commit_sha text,
  actor_id bigint not null,
  remove_source_branch boolean not null default false,
  created_at timestamptz(3) not null default now()
);

-- Work to do outside a request that must survive the process: mergeability checks, rebases, automatic merges.
create table jobs (
  id bigint generated always as identity primary key,
  kind text not null,
  -- What the job is about; a second request for the same work raises `generation` in place of queueing twice.
  key text not null,
  payload jsonb not null default '{}',
  generation integer not null default 1,
  attempts integer not null default 0,
  run_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  last_error text,
  unique (kind, key)
);
create index jobs_due on jobs (run_at, id);

-- Search by part of a title or description. The extension is optional: without it the same searches read the project's rows.
do $$
begin
  create extension if not exists pg_trgm with schema public;
  create index merge_requests_title_trigrams on merge_requests using gin (title public.gin_trgm_ops);
  create index merge_requests_description_trigrams on merge_requests using gin (description public.gin_trgm_ops);
exception
  when insufficient_privilege or undefined_file or feature_not_supported then
    raise notice 'pg_trgm is not available: searches in titles and descriptions have no index';
end
$$;
