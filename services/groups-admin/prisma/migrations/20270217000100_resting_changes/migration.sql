-- additive
-- Events of merge-requests know their project; those that an earlier release stored have none, and rest together.
alter table pending_changes add column project_id bigint not null default 0;

-- Projects whose events wait for a part of their owner, a process with their storage (ADR 81): `away` names it.
create table resting_changes (
  owner text not null,
  project_id bigint not null,
  away text not null,
  primary key (owner, project_id)
);
