create table access_requests (
  id bigint generated always as identity primary key,
  user_id bigint not null references users,
  namespace_id bigint references namespaces,
  project_id bigint references projects,
  created_at timestamptz(3) not null default now(),
  check ((namespace_id is null) <> (project_id is null))
);
create unique index access_requests_group_user on access_requests (namespace_id, user_id) where namespace_id is not null;
create unique index access_requests_project_user on access_requests (project_id, user_id) where project_id is not null;
create index access_requests_group on access_requests (namespace_id, id) where namespace_id is not null;
create index access_requests_project on access_requests (project_id, id) where project_id is not null;
create index access_requests_user on access_requests (user_id, id);
