create table http_integrations (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  type text not null default 'HTTP' check (type in ('HTTP', 'PROMETHEUS')),
  name text not null check (char_length(name) between 1 and 255),
  -- Part of the address that senders use; it alone selects the integration.
  endpoint_id text not null check (endpoint_id ~ '^[0-9a-f]{16}$'),
  -- HMAC-SHA-256 of the key; its own key lies outside the database.
  key_digest bytea not null check (length(key_digest) = 32),
  -- Last four characters of the key.
  key_hint text not null check (char_length(key_hint) = 4),
  active boolean not null,
  -- Not jsonb, which refuses some strings that JSON has.
  payload_example json,
  payload_attribute_mappings json not null default '[]',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint http_integrations_endpoint unique (endpoint_id)
);
create index http_integrations_of_project on http_integrations (project_id, id);

create table alert_settings (
  project_id bigint primary key,
  create_issue boolean not null default false,
  send_email boolean not null default false,
  auto_close_incident boolean not null default true,
  fingerprinting boolean not null default true,
  updated_at timestamptz(3) not null default now()
);

-- The last number given out per project. Its row is locked until the commit: numbers have no gaps, and the payloads of a project are
-- worked off one after another, also across processes.
create table alert_counters (
  project_id bigint primary key,
  last_iid bigint not null default 0
);

create table alerts (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  iid bigint not null,
  title text not null check (char_length(title) between 1 and 200),
  description text check (char_length(description) <= 1000),
  -- unknown, info, low, medium, high, critical
  severity smallint not null check (severity between 0 and 5),
  -- triggered, acknowledged, resolved, ignored
  status smallint not null default 0 check (status between 0 and 3),
  service text check (char_length(service) <= 100),
  monitoring_tool text check (char_length(monitoring_tool) <= 100),
  hosts text[] not null default '{}',
  -- SHA-1, hex; none: every payload makes a new alert.
  fingerprint text check (fingerprint ~ '^[0-9a-f]{40}$'),
  -- Messages that said it is firing.
  events integer not null default 1 check (events > 0),
  started_at timestamptz(3) not null,
  -- Whether a payload said when it started; else it is the moment of arrival.
  starts_told boolean not null,
  -- Greatest start that any of its payloads told; started_at while none did.
  last_started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  environment text,
  runbook text,
  incident_markdown text,
  query text,
  y_label text,
  generator_url text,
  format text not null check (format in ('custom', 'metrics')),
  -- Further attributes by name, values as text; at most 100.
  details json not null default '{}',
  -- As it came, of a metrics payload the item; not jsonb, which refuses some strings that JSON has.
  payload json not null,
  integration_id bigint,
  -- Its incident, as collaboration's events told it.
  issue_id bigint,
  issue_iid bigint,
  version integer not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint alerts_iid unique (project_id, iid)
);
create unique index alerts_unresolved on alerts (project_id, fingerprint) where status <> 2;
create index alerts_by_fingerprint on alerts (project_id, fingerprint, id) where fingerprint is not null;
create index alerts_by_created_at on alerts (project_id, created_at, id);
create index alerts_by_updated_at on alerts (project_id, updated_at, id);
create index alerts_by_started_at on alerts (project_id, started_at, id);
create index alerts_by_ended_at on alerts (project_id, ended_at, id);
create index alerts_by_severity on alerts (project_id, severity, id);
create index alerts_by_status on alerts (project_id, status, id);
create index alerts_by_events on alerts (project_id, events, id);
create index alerts_by_status_created_at on alerts (project_id, status, created_at, id);
create index alerts_by_issue on alerts (issue_id) where issue_id is not null;

create table alert_assignees (
  alert_id bigint not null references alerts (id) on delete cascade,
  user_id bigint not null,
  primary key (alert_id, user_id)
);
create index alert_assignees_of_user on alert_assignees (user_id, alert_id);

-- The last end that a payload told of each fingerprint, so that what was sent before it and comes late opens nothing; kept 7 days.
create table episode_ends (
  project_id bigint not null,
  fingerprint text not null,
  started_at timestamptz(3),
  ended_at timestamptz(3) not null,
  updated_at timestamptz(3) not null default now(),
  primary key (project_id, fingerprint)
);
create index episode_ends_by_age on episode_ends (updated_at);

-- What became of each item of a payload; kept 30 days.
create table alert_receipts (
  id uuid primary key,
  project_id bigint not null,
  integration_id bigint not null,
  received_at timestamptz(3) not null default now(),
  format text not null check (format in ('custom', 'metrics')),
  items json not null
);
create index alert_receipts_of_project on alert_receipts (project_id, received_at);
create index alert_receipts_by_age on alert_receipts (received_at);

create table metric_images (
  id bigint generated always as identity primary key,
  alert_id bigint not null references alerts (id) on delete cascade,
  -- Name of the file in the blob store.
  blob text not null,
  filename text not null check (char_length(filename) between 1 and 255),
  content_type text not null,
  size bigint not null check (size >= 0),
  url text check (char_length(url) <= 255),
  url_text text check (char_length(url_text) <= 128),
  created_at timestamptz(3) not null default now(),
  constraint metric_images_blob unique (blob)
);
create index metric_images_of_alert on metric_images (alert_id, id);

-- Search by part of a title, service or tool. The extension is optional: without it the same searches read the project's rows.
do $$
begin
  create extension if not exists pg_trgm with schema public;
  create index alerts_trigrams on alerts using gin ((title || E'\n' || coalesce(service, '') || E'\n' || coalesce(monitoring_tool, '')) public.gin_trgm_ops);
exception
  when insufficient_privilege or undefined_file or feature_not_supported then
    raise notice 'pg_trgm is not available: searches in alerts have no index';
end
$$;
