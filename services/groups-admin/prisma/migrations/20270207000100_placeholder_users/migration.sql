-- additive
-- Users who stand for people of other forges, until what these wrote is reassigned. They are bots in the
-- table of users.
create table placeholder_users (
  user_id bigint primary key references users on delete cascade,
  -- No foreign key: those of a purged project are deleted after it.
  project_id bigint not null,
  -- Id of the person at the forge.
  foreign_id text not null
);
create unique index placeholder_users_once on placeholder_users (project_id, foreign_id);
