create table pipeline_outcomes (
  project_id bigint not null,
  ref text not null,
  tag boolean not null,
  pipeline_id bigint not null,
  outcome text not null,
  previous text,
  ended_at timestamptz(3) not null default now(),
  primary key (project_id, ref, tag),
  constraint pipeline_outcomes_outcome check (outcome in ('success', 'failed'))
);
create index pipeline_outcomes_ended on pipeline_outcomes (ended_at);
