-- A merge request that waits for another one.
create table merge_request_blocks (
  id bigserial primary key,
  blocking_id bigint not null references merge_requests (id) on delete cascade,
  blocked_id bigint not null references merge_requests (id) on delete cascade,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check (blocking_id <> blocked_id)
);
create unique index merge_request_blocks_pair on merge_request_blocks (blocked_id, blocking_id);
create index merge_request_blocks_of on merge_request_blocks (blocked_id, id);
create index merge_request_blocks_by on merge_request_blocks (blocking_id, id);
