-- A list begins at the few that have no label, not that label, or not that source branch (ADR 42). Links in the order of
-- their merge requests say their label as well, so that they alone are read; of labels of a project each is found by one
-- look.
create index merge_request_labels_beside on merge_request_labels (project_id, merge_request_id, label_id);
create index merge_request_labels_by_label on merge_request_labels (project_id, label_id, merge_request_id);
drop index merge_request_labels_by_project;
drop index merge_request_labels_in_project;
create index merge_requests_in_project_by_source_branch on merge_requests (project_id, source_branch, id);
