-- Titles stand without regard to case.
drop index merge_requests_by_title;
drop index merge_requests_all_by_title;
create index merge_requests_by_title on merge_requests (project_id, lower(title), id);
create index merge_requests_all_by_title on merge_requests (lower(title), id);
