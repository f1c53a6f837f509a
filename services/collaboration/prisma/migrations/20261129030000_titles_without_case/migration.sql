-- Titles stand without regard to case.
drop index issues_by_title;
drop index issues_all_by_title;
create index issues_by_title on issues (project_id, lower(title), id);
create index issues_all_by_title on issues (lower(title), id);
