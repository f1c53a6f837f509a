-- Deployments are numbered within their project, as merge requests and pipelines are.
alter table iid_counters drop constraint iid_counters_scope_check,
  add constraint iid_counters_scope_check check (scope in ('merge_requests', 'pipelines', 'deployments'));

-- What deployments run on.
create table environments (
  id bigserial primary key,
  project_id bigint not null,
  name text not null,
  slug text not null,
  description text,
  external_url text,
  tier text not null,
  state text not null default 'available' check (state in ('available', 'stopped')),
  -- Stopped by itself then, and deleted by itself once it was scheduled for it.
  auto_stop_at timestamptz(3),
  auto_delete_at timestamptz(3),
  -- When a deployment to it was last made or ended.
  deployed_at timestamptz(3),
  -- The deployment that succeeded last: what is on it.
  last_deployment_id bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index environments_name on environments (project_id, name);
create unique index environments_slug on environments (project_id, slug);
create index environments_list on environments (project_id, name, id);
create index environments_by_id on environments (project_id, id);
create index environments_to_stop on environments (auto_stop_at, id) where auto_stop_at is not null and state = 'available';
create index environments_to_delete on environments (auto_delete_at, id) where auto_delete_at is not null;

-- What an outside CI put on an environment.
create table deployments (
  id bigserial primary key,
  iid bigint not null,
  project_id bigint not null,
  environment_id bigint not null references environments (id) on delete cascade,
  user_id bigint not null,
  sha text not null,
  ref text not null,
  tag boolean not null default false,
  status text not null check (status in ('created', 'running', 'success', 'failed', 'canceled')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create unique index deployments_iid on deployments (project_id, iid);
create index deployments_by_id on deployments (project_id, id);
create index deployments_by_created_at on deployments (project_id, created_at, id);
create index deployments_by_updated_at on deployments (project_id, updated_at, id);
create index deployments_by_finished_at on deployments (project_id, finished_at, id);
create index deployments_by_ref on deployments (project_id, ref, id);
create index deployments_by_status on deployments (project_id, status, id);
create index deployments_of_environment on deployments (environment_id, id);

-- Merge requests that a successful deployment brought in. Name, tier and end stand here for the filters of lists: of an
-- ended deployment they do not change.
create table deployment_merge_requests (
  deployment_id bigint not null references deployments (id) on delete cascade,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  environment text not null,
  production boolean not null,
  finished_at timestamptz(3) not null,
  primary key (deployment_id, merge_request_id)
);
create index deployment_merge_requests_of on deployment_merge_requests (merge_request_id, environment, finished_at);
create index deployment_merge_requests_by_environment on deployment_merge_requests (environment, finished_at, merge_request_id);
create index deployment_merge_requests_by_finished_at on deployment_merge_requests (finished_at, merge_request_id);

-- By the commit that a merge put on its branch: deployments find what they brought in.
create index merge_requests_by_landed_sha on merge_requests (project_id, coalesce(merge_commit_sha, squash_commit_sha, source_sha))
  where state = 'merged';
create index landing_receipts_by_landed_sha on landing_receipts (project_id, landed_sha);
