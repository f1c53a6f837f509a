-- Users who are to be deleted with what they wrote, and with the groups that they alone own. A row goes with its user.
create table user_deletions (
  user_id bigint primary key references users (id) on delete cascade,
  actor_id bigint not null,
  created_at timestamptz(3) not null default now()
);
