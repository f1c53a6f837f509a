-- Issues and merge requests as far as they are counted, as their owners last told of them.
create table counted_issuables (
  kind text not null check (kind in ('issue', 'merge_request')),
  id bigint not null,
  project_id bigint not null,
  -- Version of the row at its owner: what is older changes nothing.
  version bigint not null,
  -- `gone`: it counts nowhere, and what comes late about it does not bring it back.
  state text not null check (state in ('opened', 'closed', 'gone')),
  confidential boolean not null,
  label_ids bigint[] not null,
  primary key (kind, id)
);
create index counted_issuables_project on counted_issuables (project_id);

-- How many there are in a project: with a label, or of the whole project where label_id is 0.
create table issuable_counts (
  label_id bigint not null,
  project_id bigint not null,
  open_issues integer not null default 0,
  -- Of these, those that only some see.
  open_confidential_issues integer not null default 0,
  closed_issues integer not null default 0,
  closed_confidential_issues integer not null default 0,
  open_merge_requests integer not null default 0,
  primary key (label_id, project_id)
);
create index issuable_counts_project on issuable_counts (project_id);

-- Nobody ever wrote these, and one number for all readers would tell of what only some see.
alter table projects drop column open_issues_count;
alter table labels drop column open_issues_count, drop column closed_issues_count, drop column open_merge_requests_count;
