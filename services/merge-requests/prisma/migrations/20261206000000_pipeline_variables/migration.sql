-- Variables that a pipeline was made with, in the order in which they were given.
create table pipeline_variables (
  id bigint generated always as identity primary key,
  pipeline_id bigint not null references pipelines (id) on delete cascade,
  key text not null,
  value text not null,
  variable_type text not null check (variable_type in ('env_var', 'file')),
  constraint pipeline_variables_key unique (pipeline_id, key)
);
