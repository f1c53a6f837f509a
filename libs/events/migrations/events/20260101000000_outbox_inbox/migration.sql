create table events.outbox (
  id bigint generated always as identity primary key,
  event_id text not null,
  topic text not null,
  type text not null,
  version integer not null,
  key text not null,
  body json not null,
  traceparent text,
  created_at timestamptz(3) not null default now(),
  published_at timestamptz(3),
  constraint outbox_event_id_key unique (event_id)
);

create index outbox_unpublished on events.outbox (id) where published_at is null;
create index outbox_published on events.outbox (published_at) where published_at is not null;

create table events.inbox (
  consumer_group text not null,
  event_id text not null,
  received_at timestamptz(3) not null default now(),
  constraint inbox_pkey primary key (consumer_group, event_id)
);

create index inbox_received on events.inbox (received_at);
