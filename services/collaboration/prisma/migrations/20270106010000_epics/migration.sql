-- The last number given out to an epic of a group. Its row is locked until the commit, so numbers have no gaps.
create table epic_counters (
  group_id bigint primary key,
  last_iid bigint not null
);

create table epics (
  id bigint generated always as identity primary key,
  iid bigint not null,
  group_id bigint not null,
  author_id bigint not null,
  title text not null check (char_length(title) between 1 and 255),
  description text,
  state text not null default 'opened' check (state in ('opened', 'closed')),
  -- Seen by members of its group from Planner on.
  confidential boolean not null default false,
  color text not null default '#1068bf',
  start_date_is_fixed boolean not null default false,
  start_date_fixed date,
  due_date_is_fixed boolean not null default false,
  due_date_fixed date,
  user_notes_count integer not null default 0,
  internal_notes_count integer not null default 0,
  upvotes integer not null default 0,
  downvotes integer not null default 0,
  closed_by_id bigint,
  closed_at timestamptz(3),
  imported_from text not null default 'none',
  lock_version integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint epics_iid unique (group_id, iid)
);
create index epics_by_id on epics (group_id, id);
create index epics_all_by_created_at on epics (created_at, id);
create index epics_all_by_updated_at on epics (updated_at, id);
create index epics_all_by_title on epics (lower(title), id);
create index epics_by_author on epics (author_id, id);
create index epics_title_trigrams on epics using gin (title gin_trgm_ops);
create index epics_description_trigrams on epics using gin (description gin_trgm_ops);

create table epic_labels (
  epic_id bigint not null references epics (id) on delete cascade,
  label_id bigint not null,
  primary key (epic_id, label_id)
);
create index epic_labels_of_label on epic_labels (label_id, epic_id);

create table epic_participants (
  epic_id bigint not null references epics (id) on delete cascade,
  user_id bigint not null,
  created_at timestamptz(3) not null default now(),
  -- True while nothing but internal notes made them take part.
  internal boolean not null default false,
  primary key (epic_id, user_id)
);

create table epic_subscriptions (
  epic_id bigint not null references epics (id) on delete cascade,
  user_id bigint not null,
  subscribed boolean not null,
  primary key (epic_id, user_id)
);
