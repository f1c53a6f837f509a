-- additive
-- What an import wrote of a merge request: a digest of each field. A refresh overwrites no field that has another value now.
create table merge_request_imports (
  merge_request_id bigint primary key references merge_requests on delete cascade,
  fields jsonb not null,
  -- Head that the forge named; empty for one whose commit did not come in.
  head_sha text not null
);
