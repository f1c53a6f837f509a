-- Who may create tags, and which tags stay as they are: by name or wildcard.
create table protected_tags (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  name text not null check (name <> ''),
  create_access_level integer not null default 40 check (create_access_level in (0, 30, 40, 60)),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint protected_tags_name unique (project_id, name)
);
