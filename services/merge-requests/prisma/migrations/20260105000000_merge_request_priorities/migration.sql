-- What lists are ordered by, copied from milestones and labels: with a join no index would give the order.
alter table merge_requests
  add column milestone_due date,
  -- The least rank among its labels.
  add column label_priority integer;

-- Ascending and descending alike, merge requests without a value come last.
create index merge_requests_by_priority on merge_requests (project_id, milestone_due, label_priority, id);
create index merge_requests_by_priority_desc
  on merge_requests (project_id, milestone_due desc nulls last, label_priority desc nulls last, id desc);
create index merge_requests_by_label_priority on merge_requests (project_id, label_priority, id);
create index merge_requests_by_label_priority_desc on merge_requests (project_id, label_priority desc nulls last, id desc);
create index merge_requests_by_upvotes on merge_requests (project_id, upvotes, id);
create index merge_requests_all_by_priority on merge_requests (milestone_due, label_priority, id);
create index merge_requests_all_by_priority_desc
  on merge_requests (milestone_due desc nulls last, label_priority desc nulls last, id desc);
create index merge_requests_all_by_label_priority on merge_requests (label_priority, id);
create index merge_requests_all_by_label_priority_desc on merge_requests (label_priority desc nulls last, id desc);
create index merge_requests_all_by_upvotes on merge_requests (upvotes, id);

-- Dates of milestones and ranks of labels as the merge requests of them have them: where the directory says otherwise, these are brought
-- up to date, those that were there before included.
create table merge_request_order_sources (
  kind text not null check (kind in ('milestone', 'label')),
  id bigint not null,
  -- Days since 1970, or the rank.
  value integer,
  -- A change that was under way meanwhile is looked at once more.
  settled boolean not null default false,
  applied_at timestamptz(3) not null default now(),
  primary key (kind, id)
);
create index merge_request_order_sources_open on merge_request_order_sources (applied_at) where not settled;
