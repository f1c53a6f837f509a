-- Messages of the administrators to all users (api.md 4.13).
create table broadcast_messages (
  id bigint generated always as identity primary key,
  message text not null,
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null check (ends_at >= starts_at),
  font text not null,
  target_access_levels integer[] not null,
  target_path text not null,
  broadcast_type text not null check (broadcast_type in ('banner', 'notification')),
  dismissable boolean not null,
  theme text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
