-- Users who were deleted with what they wrote; a row goes when all of that is gone.
create table deleted_users (
  user_id bigint primary key,
  queued_at timestamptz(3) not null default now()
);
create index notes_author on notes (author_id, id) where not system;
create index snippets_author on snippets (author_id, id);

-- The e-mail whose confirmation a mail asks for: address and text are asked for when it is sent, since they hold a
-- secret. Null for every other mail.
alter table mails add column email_id bigint;
