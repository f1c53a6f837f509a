-- What became of state, labels and milestone, each event a row. `object_id` is the label or the milestone.
create table resource_events (
  id bigint generated always as identity primary key,
  issue_id bigint not null references issues (id) on delete cascade,
  kind text not null check (kind in ('state', 'label', 'milestone')),
  action text not null,
  object_id bigint,
  user_id bigint,
  created_at timestamptz(3) not null default now()
);
create index resource_events_of on resource_events (issue_id, kind, id);
