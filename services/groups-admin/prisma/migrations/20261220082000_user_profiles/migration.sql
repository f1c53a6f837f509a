-- What users say they do at present.
create table user_statuses (
  user_id bigint primary key references users (id) on delete cascade,
  emoji text not null,
  message text not null default '',
  availability text not null default 'not_set' constraint user_statuses_availability check (availability in ('not_set', 'busy')),
  -- From then on there is no status; null: it stays.
  clear_at timestamptz(3)
);

-- Who follows whom.
create table user_follows (
  id bigint generated always as identity primary key,
  follower_id bigint not null references users (id) on delete cascade,
  followed_id bigint not null references users (id) on delete cascade,
  created_at timestamptz(3) not null default now()
);
create unique index user_follows_once on user_follows (follower_id, followed_id);
create index user_follows_following on user_follows (follower_id, id);
create index user_follows_followers on user_follows (followed_id, id);

create index users_last_activity_on on users (last_activity_on, id) where last_activity_on is not null;
