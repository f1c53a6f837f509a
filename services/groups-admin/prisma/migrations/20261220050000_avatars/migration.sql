-- Blobs that no row names: one that is being uploaded, or whose avatar has gone. Removed once they are due.
create table blob_remains (
  blob text primary key,
  due_at timestamptz(3) not null
);
create index blob_remains_by_due_at on blob_remains (due_at);

-- An avatar and the key of its content. It goes with its owner, whose avatar_url is its path below the external address.
create table avatars (
  blob text primary key,
  user_id bigint unique references users on delete cascade,
  namespace_id bigint unique references namespaces on delete cascade,
  project_id bigint unique references projects on delete cascade,
  filename text not null,
  content_type text not null,
  -- Bytes.
  size integer not null,
  created_at timestamptz(3) not null default now(),
  constraint avatars_one_owner check (num_nonnulls(user_id, namespace_id, project_id) = 1)
);

-- Also where avatars go with their owner: the statement that deletes an owner need not know of files.
create function leave_blob_of_avatar() returns trigger language plpgsql as $$
begin
  insert into blob_remains (blob, due_at) select blob, now() from gone on conflict (blob) do nothing;
  return null;
end
$$;
create trigger avatars_leave_blobs after delete on avatars
  referencing old table as gone for each statement execute function leave_blob_of_avatar();
