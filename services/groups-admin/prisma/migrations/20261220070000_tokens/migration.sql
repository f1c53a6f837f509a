-- Tokens by which administrators act as users, and those of the bots of projects and groups.
alter table personal_access_tokens drop constraint personal_access_tokens_kind_check;
alter table personal_access_tokens add constraint personal_access_tokens_kind_check
  check (kind in ('personal', 'bootstrap', 'impersonation', 'resource'));
-- Its owner was notified that it ends soon.
alter table personal_access_tokens add column expiry_notified boolean not null default false;
create index personal_access_tokens_expiring on personal_access_tokens (expires_at, id)
  where not revoked and not expiry_notified and expires_at is not null;

-- The bots that access tokens of projects and groups act as. A bot whose project or group is purged has neither, and is deleted.
create table access_token_bots (
  user_id bigint primary key references users on delete cascade,
  project_id bigint references projects on delete set null,
  namespace_id bigint references namespaces on delete set null,
  access_level integer not null check (access_level in (10, 15, 20, 30, 40, 50)),
  -- When it lost its last good token; it is deleted 30 days later.
  inactive_since timestamptz(3),
  check (project_id is null or namespace_id is null)
);
create index access_token_bots_project on access_token_bots (project_id, user_id) where project_id is not null;
create index access_token_bots_namespace on access_token_bots (namespace_id, user_id) where namespace_id is not null;
create index access_token_bots_inactive on access_token_bots (inactive_since, user_id) where inactive_since is not null;

create table deploy_tokens (
  id bigint generated always as identity primary key,
  project_id bigint references projects on delete cascade,
  namespace_id bigint references namespaces on delete cascade,
  name text not null,
  username text not null,
  -- HMAC-SHA-256 with a key that is not in the database (D3).
  token_digest bytea not null,
  scopes text[] not null check (cardinality(scopes) > 0),
  expires_at timestamptz(3),
  created_by_id bigint not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((project_id is null) <> (namespace_id is null))
);
create unique index deploy_tokens_digest on deploy_tokens (token_digest);
create index deploy_tokens_project on deploy_tokens (project_id, id) where project_id is not null;
create index deploy_tokens_namespace on deploy_tokens (namespace_id, id) where namespace_id is not null;

create table job_tokens (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  pipeline_id bigint not null,
  -- Run of the pipeline; a retry begins another one.
  run integer not null,
  user_id bigint not null references users on delete cascade,
  -- HMAC-SHA-256 with a key that is not in the database (D3).
  token_digest bytea not null,
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create unique index job_tokens_digest on job_tokens (token_digest);
create index job_tokens_pipeline on job_tokens (pipeline_id, run);
create index job_tokens_project on job_tokens (project_id);
create index job_tokens_user on job_tokens (user_id);
create index job_tokens_expires_at on job_tokens (expires_at);

-- Pipelines for which job tokens were issued lately. Its row orders an issue and the end of the run: a token that comes after the
-- end is refused, whichever message is late.
create table job_token_pipelines (
  pipeline_id bigint primary key,
  -- The last run that has ended; -1 when none has.
  ended_run integer not null default -1,
  updated_at timestamptz(3) not null default now()
);
create index job_token_pipelines_updated_at on job_token_pipelines (updated_at);
