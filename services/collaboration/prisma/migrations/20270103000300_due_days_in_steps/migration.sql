-- How far the events of issues that are due on a day have been kept; days of earlier versions are done.
alter table issue_due_days
  add column after_id bigint not null default 0,
  add column done boolean not null default true;
