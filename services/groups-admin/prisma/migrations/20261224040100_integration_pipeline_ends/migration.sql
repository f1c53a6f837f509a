-- How the last pipeline of a branch or tag ended, where an integration is notified of changes of it alone
-- (notify_only_when_pipeline_status_changes). One is forgotten 90 days after the last pipeline.
create table integration_pipeline_ends (
  project_id bigint not null references projects on delete cascade,
  ref text not null,
  status text not null,
  ended_at timestamptz(3) not null default now(),
  primary key (project_id, ref)
);
create index integration_pipeline_ends_age on integration_pipeline_ends (ended_at);
