-- Issues that the texts of a merge request name, whether there are such issues or not: what is named today may be opened tomorrow.
create table issue_merge_requests (
  merge_request_id bigint not null,
  -- Project and number of the issue.
  project_id bigint not null,
  iid bigint not null,
  merge_request_project_id bigint not null,
  merge_request_iid bigint not null,
  -- It is closed when the merge request lands in the default branch.
  closes boolean not null,
  primary key (merge_request_id, project_id, iid)
);
create index issue_merge_requests_of_issue on issue_merge_requests (project_id, iid, merge_request_id);
create index issue_merge_requests_of_number on issue_merge_requests (merge_request_project_id, merge_request_iid);

-- Counted from the table above.
alter table issues drop column merge_requests_count;
