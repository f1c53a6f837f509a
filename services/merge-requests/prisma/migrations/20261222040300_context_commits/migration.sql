-- Commits that a merge request shows beside its own.
create table merge_request_context_commits (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  sha text not null,
  committed_at timestamptz(3) not null,
  primary key (merge_request_id, sha)
);
