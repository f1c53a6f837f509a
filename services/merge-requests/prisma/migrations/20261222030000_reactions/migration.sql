-- Reactions to merge requests, as collaboration publishes them: what lists are narrowed by. One that was taken back stays
-- with its version, so that an event which comes late changes nothing.
create table merge_request_reactions (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null,
  name text not null,
  given boolean not null,
  version bigint not null,
  primary key (merge_request_id, user_id, name)
);
create index merge_request_reactions_of_user on merge_request_reactions (user_id, name, merge_request_id) where given;
