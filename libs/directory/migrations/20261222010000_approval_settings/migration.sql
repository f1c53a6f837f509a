alter table projects
  add column approvals_before_merge integer not null default 0,
  add column merge_requests_author_approval boolean not null default false,
  add column merge_requests_disable_committers_approval boolean not null default false,
  add column reset_approvals_on_push boolean not null default true,
  add column disable_overriding_approvers_per_merge_request boolean not null default false;

-- Rows of before these columns are read anew at the next start.
update state set refill = true where generation > 0;
