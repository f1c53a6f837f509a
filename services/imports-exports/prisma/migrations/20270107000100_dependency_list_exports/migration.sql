create table blob_remains (
  blob text primary key,
  due_at timestamptz(3) not null
);
create index blob_remains_due on blob_remains (due_at);

-- Reports of what pipelines are built from, each in a blob of its own. The job is 0 where a report came without one.
create table dependency_reports (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  pipeline_id bigint not null,
  job_id bigint not null default 0,
  file_name text not null check (char_length(file_name) between 1 and 255),
  blob text not null unique,
  size bigint not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  components int not null,
  author_id bigint not null,
  created_at timestamptz(3) not null default now()
);
create unique index dependency_reports_of_pipeline on dependency_reports (pipeline_id, job_id, file_name);
create index dependency_reports_of_project on dependency_reports (project_id, id);

create table dependency_list_exports (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('pipeline', 'project', 'group')),
  -- The project or group.
  target_id bigint not null,
  author_id bigint not null,
  format text not null check (format in ('cyclonedx', 'spdx')),
  spec_version text not null,
  send_email boolean not null,
  status text not null default 'created' check (status in ('created', 'running', 'finished', 'failed')),
  problem text,
  full_path text not null,
  -- Of the pipeline that it is of; a group has none.
  pipeline_id bigint,
  sha text,
  made_at timestamptz(3),
  planned boolean not null default false,
  attempts int not null default 0,
  lease uuid,
  leased_until timestamptz(3),
  blob text unique,
  size bigint,
  sha256 bytea,
  signature bytea,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  expires_at timestamptz(3) not null
);
create index dependency_list_exports_waiting on dependency_list_exports (id) where status in ('created', 'running');
create index dependency_list_exports_of_author on dependency_list_exports (author_id) where status in ('created', 'running');
create index dependency_list_exports_by_expiry on dependency_list_exports (expires_at);

-- What an export is made of, fixed when it begins: reports, and files of commits.
create table export_sources (
  export_id bigint not null references dependency_list_exports on delete cascade,
  position int not null,
  kind text not null check (kind in ('report', 'lock_file')),
  project_id bigint not null,
  pipeline_id bigint not null,
  path text not null,
  -- Key of the report's blob, or id of the file's content in git.
  blob text not null,
  -- SHA-256 of the report, or id of the file's content in git.
  digest text not null,
  done boolean not null default false,
  primary key (export_id, position)
);

-- Work in progress: the variants of components, the names that sources have for them, and what depends on what.
create table export_components (
  export_id bigint not null references dependency_list_exports on delete cascade,
  key text collate "C" not null,
  digest bytea not null,
  component text not null,
  primary key (export_id, key, digest)
);
create table export_refs (
  export_id bigint not null references dependency_list_exports on delete cascade,
  source int not null,
  ref bytea not null,
  key text collate "C" not null,
  primary key (export_id, source, ref)
);
create table export_links (
  export_id bigint not null references dependency_list_exports on delete cascade,
  source int not null,
  ref bytea not null,
  target bytea not null,
  primary key (export_id, source, ref, target)
);
create table export_edges (
  export_id bigint not null references dependency_list_exports on delete cascade,
  key text collate "C" not null,
  target text collate "C" not null,
  primary key (export_id, key, target)
);
create table export_properties (
  export_id bigint not null references dependency_list_exports on delete cascade,
  name text collate "C" not null,
  value text collate "C" not null,
  primary key (export_id, name, value)
);
