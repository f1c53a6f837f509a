-- The merge requests of a commit: by the commits of their diff, and by what they landed as.
alter table merge_request_diffs add column commit_shas text[] not null default '{}';
create index merge_request_diffs_commits on merge_request_diffs using gin (commit_shas);
create index merge_requests_merge_commit on merge_requests (merge_commit_sha) where merge_commit_sha is not null;
create index merge_requests_squash_commit on merge_requests (squash_commit_sha) where squash_commit_sha is not null;
