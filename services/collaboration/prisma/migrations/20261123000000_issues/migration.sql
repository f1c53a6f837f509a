-- The last number given out per project and kind of thing. Its row is locked until the commit, so numbers have no gaps.
create table iid_counters (
  project_id bigint not null,
  scope text not null,
  last_iid bigint not null,
  primary key (project_id, scope)
);

create table issues (
  id bigint generated always as identity primary key,
  iid bigint not null,
  project_id bigint not null,
  author_id bigint not null,
  title text not null check (char_length(title) between 1 and 255),
  description text,
  state text not null default 'opened' check (state in ('opened', 'closed')),
  issue_type text not null default 'issue' check (issue_type in ('issue', 'incident', 'task')),
  -- Seen by author, assignees and members from Planner on.
  confidential boolean not null default false,
  severity text not null default 'unknown' check (severity in ('unknown', 'low', 'medium', 'high', 'critical')),
  discussion_locked boolean,
  milestone_id bigint,
  due_date date,
  weight integer check (weight >= 0),
  time_estimate bigint not null default 0,
  total_time_spent bigint not null default 0,
  task_count integer not null default 0,
  completed_task_count integer not null default 0,
  user_notes_count integer not null default 0,
  -- Merge requests that mention it or close it when they land.
  merge_requests_count integer not null default 0,
  upvotes integer not null default 0,
  downvotes integer not null default 0,
  closed_by_id bigint,
  closed_at timestamptz(3),
  moved_to_id bigint,
  imported_from text not null default 'none',
  lock_version integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint issues_iid unique (project_id, iid)
);
create index issues_by_created_at on issues (project_id, created_at, id);
create index issues_by_updated_at on issues (project_id, updated_at, id);
create index issues_by_title on issues (project_id, title, id);
create index issues_by_due_date on issues (project_id, due_date, id);
create index issues_by_weight on issues (project_id, weight, id);
create index issues_by_upvotes on issues (project_id, upvotes, id);
create index issues_by_id on issues (project_id, id);
create index issues_by_state_created_at on issues (project_id, state, created_at, id);
create index issues_by_state_updated_at on issues (project_id, state, updated_at, id);
create index issues_all_by_created_at on issues (created_at, id);
create index issues_all_by_updated_at on issues (updated_at, id);
create index issues_all_by_title on issues (title, id);
create index issues_all_by_due_date on issues (due_date, id);
create index issues_all_by_weight on issues (weight, id);
create index issues_all_by_upvotes on issues (upvotes, id);
create index issues_by_author on issues (author_id, created_at, id);
create index issues_by_author_updated_at on issues (author_id, updated_at, id);
create index issues_by_milestone on issues (milestone_id, id) where milestone_id is not null;

create table issue_assignees (
  issue_id bigint not null references issues (id) on delete cascade,
  user_id bigint not null,
  created_at timestamptz(3) not null default now(),
  primary key (issue_id, user_id)
);
create index issue_assignees_of_user on issue_assignees (user_id, issue_id);

create table issue_labels (
  issue_id bigint not null references issues (id) on delete cascade,
  label_id bigint not null,
  primary key (issue_id, label_id)
);
create index issue_labels_of_label on issue_labels (label_id, issue_id);

create table issue_participants (
  issue_id bigint not null references issues (id) on delete cascade,
  user_id bigint not null,
  created_at timestamptz(3) not null default now(),
  primary key (issue_id, user_id)
);

create table issue_subscriptions (
  issue_id bigint not null references issues (id) on delete cascade,
  user_id bigint not null,
  subscribed boolean not null,
  primary key (issue_id, user_id)
);

-- Search by part of a title or description. The extension is optional: without it the same searches read the project's rows.
do $$
begin
  create extension if not exists pg_trgm with schema public;
  create index issues_title_trigrams on issues using gin (title public.gin_trgm_ops);
  create index issues_description_trigrams on issues using gin (description public.gin_trgm_ops);
exception
  when insufficient_privilege or undefined_file or feature_not_supported then
    raise notice 'pg_trgm is not available: searches in titles and descriptions have no index';
end
$$;
