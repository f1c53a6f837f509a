-- Mails that wait to be sent, and for a while those that were: written in the transaction of what they tell of, sent by a worker.
create table mails (
  id bigint generated always as identity primary key,
  -- Derived from what it tells of and to whom: what happened writes it once, and a mail that is sent twice is known as the same.
  message_id text not null,
  user_id bigint not null,
  project_id bigint not null,
  -- Least access level its recipient must still have in the project when it is sent.
  access_level integer not null,
  subject text not null,
  body text not null,
  headers jsonb not null default '{}',
  state text not null default 'waiting' constraint mails_state check (state in ('waiting', 'sent', 'dropped', 'dead')),
  attempts integer not null default 0,
  -- When it may be tried; whoever tries it moves this on, so that nobody else does.
  due_at timestamptz(3) not null default now(),
  last_error text,
  created_at timestamptz(3) not null default now(),
  settled_at timestamptz(3)
);
create unique index mails_message_id on mails (message_id);
create index mails_due on mails (due_at, id) where state = 'waiting';
create index mails_settled on mails (settled_at) where settled_at is not null;
