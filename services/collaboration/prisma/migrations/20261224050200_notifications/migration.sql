create table notification_events (
  id bigint generated always as identity primary key,
  event_id text not null,
  action text not null,
  subject_type text not null,
  subject_id bigint not null,
  subject_iid bigint not null default 0,
  project_id bigint not null,
  actor_id bigint not null,
  facts jsonb not null,
  occurred_at timestamptz(3) not null,
  state text not null default 'waiting',
  attempts integer not null default 0,
  due_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  constraint notification_events_state check (state in ('waiting', 'decided', 'dead'))
);
create unique index notification_events_once on notification_events (event_id);
create index notification_events_due on notification_events (due_at, id) where state = 'waiting';
create index notification_events_created on notification_events (created_at);

alter table mails add column thread text, add column html text, add column address text;
-- The mail of a user about one thing that still gathers what happens to it.
create unique index mails_gathering on mails (user_id, thread)
  where state = 'waiting' and attempts = 0 and thread is not null;

create table mail_parts (
  mail_id bigint not null references mails (id) on delete cascade,
  event_id bigint not null,
  reason text not null,
  primary key (mail_id, event_id)
);

create table issue_due_days (
  day date primary key
);

create table ledger_entries (
  id bigint generated always as identity primary key,
  user_id bigint not null,
  project_id bigint not null,
  group_id bigint not null,
  target_type text not null,
  target_id bigint not null,
  target_iid bigint not null,
  event text not null,
  channel text not null,
  decision text not null,
  rule text not null,
  detail text not null,
  mail_id bigint,
  created_at timestamptz(3) not null default now()
);
create index ledger_entries_user on ledger_entries (user_id, id);
create index ledger_entries_user_target on ledger_entries (user_id, target_type, target_id, id);
create index ledger_entries_project on ledger_entries (project_id, created_at, id) where project_id > 0;
create index ledger_entries_project_target on ledger_entries (project_id, target_type, target_iid, user_id, id) where project_id > 0;
create index ledger_entries_created on ledger_entries (created_at);
