-- Contents of files, once each: packages of one file share its blob.
create table contents (
  id bigint generated always as identity primary key,
  sha256 bytea not null unique check (octet_length(sha256) = 32),
  sha1 bytea not null check (octet_length(sha1) = 20),
  md5 bytea not null check (octet_length(md5) = 16),
  size bigint not null check (size >= 0),
  blob text not null unique,
  uses bigint not null default 0 check (uses >= 0),
  created_at timestamptz(3) not null default now()
);
create index contents_without_use on contents (id) where uses = 0;

create table blob_remains (
  blob text primary key,
  due_at timestamptz(3) not null
);
create index blob_remains_due on blob_remains (due_at);

create table packages (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  format text not null,
  name text not null check (char_length(name) between 1 and 255),
  version text check (char_length(version) between 1 and 255),
  status text not null default 'default'
    check (status in ('default', 'hidden', 'processing', 'error', 'pending_destruction', 'deprecated')),
  creator_id bigint,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  last_downloaded_at timestamptz(3)
);
-- A package that is being deleted frees its name and version (G-3-3).
create unique index packages_of_version on packages (project_id, format, name, coalesce(version, ''))
  where status <> 'pending_destruction';
create index packages_by_creation on packages (project_id, created_at, id);
create index packages_by_name on packages (project_id, name, id);
create index packages_by_version on packages (project_id, coalesce(version, ''), id);
create index packages_by_format on packages (project_id, format, id);
create index packages_of_format on packages (format, name);
create index packages_to_destroy on packages (id) where status = 'pending_destruction';

create table package_files (
  id bigint generated always as identity primary key,
  package_id bigint not null references packages on delete cascade,
  content_id bigint not null references contents,
  file_name text not null check (char_length(file_name) between 1 and 255),
  metadata jsonb not null default '{}',
  pipeline_id bigint,
  created_at timestamptz(3) not null default now()
);
create index package_files_of_package on package_files (package_id, id);
create index package_files_by_name on package_files (package_id, file_name, id);
create index package_files_by_creation on package_files (package_id, created_at, id);
create index package_files_of_content on package_files (content_id);

-- A deleted package takes its files along, so the count cannot be kept by who deletes them.
create function count_content_use() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update contents set uses = uses + 1 where id = new.content_id;
  else
    update contents set uses = uses - 1 where id = old.content_id;
  end if;
  return null;
end $$;
create trigger content_uses after insert or delete on package_files
  for each row execute function count_content_use();

-- Pipelines whose job tokens published a package.
create table package_pipelines (
  package_id bigint not null references packages on delete cascade,
  pipeline_id bigint not null,
  primary key (package_id, pipeline_id)
);

-- Names of versions, such as npm's `latest`.
create table package_tags (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  format text not null,
  package_name text not null,
  name text not null check (char_length(name) between 1 and 255),
  package_id bigint not null references packages on delete cascade,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (project_id, format, package_name, name)
);
create index package_tags_of_package on package_tags (package_id, id);
