-- Who may approve merge requests, and what a push does to approvals (G-4.2-8).
alter table projects
  add column merge_requests_author_approval boolean not null default false,
  add column merge_requests_disable_committers_approval boolean not null default false,
  add column reset_approvals_on_push boolean not null default true,
  add column disable_overriding_approvers_per_merge_request boolean not null default false;
