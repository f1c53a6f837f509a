-- The environments of projects as merge-requests publishes them. A name belongs to one at a time and never changes.
create table environments (
  id bigint primary key,
  project_id bigint not null,
  name text not null,
  created_at timestamptz(3) not null
);
create index environments_by_name on environments (project_id, name, id);

-- A payload may name an environment at any length; those that exist have at most 255 characters.
create index alerts_by_environment on alerts (project_id, environment, created_at, id) where length(environment) <= 255;
