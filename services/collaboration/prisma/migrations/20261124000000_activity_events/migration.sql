-- Laid out for 10^8 rows (docs/adr/0008-activity-events.md): every order of every list walks one index, and the unique key starts with
-- the moment, so that it serves retention as well and stays possible once the table is partitioned by it.
create table activity_events (
  id bigint generated always as identity primary key,
  cause text not null,
  project_id bigint not null,
  author_id bigint not null,
  action text not null,
  target_type text,
  target_id bigint,
  target_iid bigint,
  target_title text,
  subject_type text not null,
  subject_id bigint not null,
  push_data json,
  imported boolean not null default false,
  created_at timestamptz(3) not null,
  constraint activity_events_action check (action in ('approved', 'closed', 'commented', 'created', 'destroyed', 'expired', 'joined',
    'left', 'merged', 'pushed', 'reopened', 'updated')),
  constraint activity_events_subject_type check (subject_type in ('project', 'repository', 'merge_request', 'issue', 'snippet', 'milestone')),
  constraint activity_events_cause unique (created_at, cause)
);

create index activity_events_project_idx on activity_events (project_id, created_at, id);
create index activity_events_project_action_idx on activity_events (project_id, action, created_at, id);
create index activity_events_project_target_type_idx on activity_events (project_id, target_type, created_at, id);
create index activity_events_author_idx on activity_events (author_id, created_at, id);
create index activity_events_author_action_idx on activity_events (author_id, action, created_at, id);
create index activity_events_author_target_type_idx on activity_events (author_id, target_type, created_at, id);
create index activity_events_subject_idx on activity_events (subject_type, subject_id) where subject_id > 0;
