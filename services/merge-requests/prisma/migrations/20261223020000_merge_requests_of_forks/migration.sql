-- Merge requests across forks that may lose their source: looked through every few seconds.
create index merge_requests_of_forks on merge_requests (id)
  where source_project_id <> project_id and source_branch_exists and state in ('opened', 'closed');
