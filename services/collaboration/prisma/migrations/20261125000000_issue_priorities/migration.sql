-- What lists are ordered by, copied from milestones and labels: with a join no index would give the order.
alter table issues
  add column milestone_due date,
  -- The least rank among its labels.
  add column label_priority integer;

-- Ascending and descending alike, issues without a value come last.
create index issues_by_priority on issues (project_id, milestone_due, label_priority, id);
create index issues_by_priority_desc on issues (project_id, milestone_due desc nulls last, label_priority desc nulls last, id desc);
create index issues_by_label_priority on issues (project_id, label_priority, id);
create index issues_by_label_priority_desc on issues (project_id, label_priority desc nulls last, id desc);
create index issues_by_due_date_desc on issues (project_id, due_date desc nulls last, id desc);
create index issues_by_weight_desc on issues (project_id, weight desc nulls last, id desc);
create index issues_all_by_priority on issues (milestone_due, label_priority, id);
create index issues_all_by_priority_desc on issues (milestone_due desc nulls last, label_priority desc nulls last, id desc);
create index issues_all_by_label_priority on issues (label_priority, id);
create index issues_all_by_label_priority_desc on issues (label_priority desc nulls last, id desc);
create index issues_all_by_due_date_desc on issues (due_date desc nulls last, id desc);
create index issues_all_by_weight_desc on issues (weight desc nulls last, id desc);

-- Dates of milestones and ranks of labels as the issues of them have them: where the directory says otherwise, these are brought up to date.
create table issue_order_sources (
  kind text not null check (kind in ('milestone', 'label')),
  id bigint not null,
  -- Days since 1970, or the rank.
  value integer,
  -- A change that was under way meanwhile is looked at once more.
  settled boolean not null default false,
  applied_at timestamptz(3) not null default now(),
  primary key (kind, id)
);
create index issue_order_sources_open on issue_order_sources (applied_at) where not settled;
