-- What a project publishes of a tag. The tag is named, not referred to: it lies in git.
create table releases (
  id bigserial primary key,
  project_id bigint not null,
  tag text not null,
  name text not null,
  description text,
  author_id bigint not null,
  released_at timestamptz(3) not null,
  -- Counts the changes: it is part of the ids of their events.
  version bigint not null default 1,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index releases_tag on releases (project_id, tag);
create index releases_by_released_at on releases (project_id, released_at, id);
create index releases_by_created_at on releases (project_id, created_at, id);

-- What a release offers for download beside the code.
create table release_links (
  id bigserial primary key,
  release_id bigint not null references releases (id) on delete cascade,
  name text not null,
  url text not null,
  -- Path of the permanent address.
  path text,
  type text not null check (type in ('other', 'runbook', 'image', 'package')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index release_links_name on release_links (release_id, name);
create unique index release_links_url on release_links (release_id, url);
create unique index release_links_path on release_links (release_id, path);
create index release_links_by_id on release_links (release_id, id);

create table release_milestones (
  release_id bigint not null references releases (id) on delete cascade,
  milestone_id bigint not null,
  primary key (release_id, milestone_id)
);
