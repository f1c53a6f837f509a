-- The note whose quick action an entry comes from; entries from before have none.
alter table timelogs add column note_id bigint;

-- Commands that have changed the times of a merge request and may be sent again: each does it once.
create table merge_request_time_commands (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  cause text not null,
  primary key (merge_request_id, cause)
);
