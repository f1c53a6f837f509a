-- Epics that have to do with each other: at most one link for two of them, in one direction.
create table related_epics (
  id bigint generated always as identity primary key,
  source_id bigint not null references epics (id) on delete cascade,
  target_id bigint not null references epics (id) on delete cascade,
  -- How the source stands to the target.
  link_type text not null check (link_type in ('relates_to', 'blocks')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint related_epics_pair unique (source_id, target_id),
  constraint related_epics_differ check (source_id <> target_id)
);
create index related_epics_of_target on related_epics (target_id, id);
