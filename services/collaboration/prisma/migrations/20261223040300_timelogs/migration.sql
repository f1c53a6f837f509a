-- What each change added to the time spent, which is negative where time was subtracted or reset. Time spent before this
-- table was there has no row.
create table timelogs (
  id bigint generated always as identity primary key,
  issue_id bigint not null references issues (id) on delete cascade,
  user_id bigint not null,
  time_spent bigint not null check (time_spent <> 0),
  -- The day of the work at midnight (UTC), or the moment at which it was reported.
  spent_at timestamptz(3) not null,
  summary text,
  created_at timestamptz(3) not null default now()
);
create index timelogs_of on timelogs (issue_id, spent_at, id);
