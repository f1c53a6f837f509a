-- no transaction
-- additive
create index concurrently notes_unresolved on notes (noteable_id, discussion_id)
  where type is not null and not system and resolved_at is null;
