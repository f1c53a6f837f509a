-- Users who subscribed to a label: in one project, or, for a label of a group, in the group itself.
create table label_subscriptions (
  id bigint generated always as identity primary key,
  label_id bigint not null references labels on delete cascade,
  user_id bigint not null references users on delete cascade,
  -- Null: in the group of the label.
  project_id bigint references projects on delete cascade,
  created_at timestamptz(3) not null default now()
);
create unique index label_subscriptions_in_project on label_subscriptions (label_id, user_id, project_id)
  where project_id is not null;
create unique index label_subscriptions_in_group on label_subscriptions (label_id, user_id) where project_id is null;
create index label_subscriptions_user on label_subscriptions (user_id);
create index label_subscriptions_project on label_subscriptions (project_id) where project_id is not null;
