-- additive
-- Files that texts of a project link to.
create table uploads (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  -- A content in use is never deleted, which its count says: a version before this one knows nothing of uploads.
  content_id bigint not null references contents on delete cascade,
  secret text not null check (secret ~ '^[0-9a-f]{32}$'),
  file_name text not null check (char_length(file_name) between 1 and 255),
  content_type text not null,
  uploader_id bigint,
  created_at timestamptz(3) not null default now()
);
create unique index uploads_of_secret on uploads (project_id, secret);
create index uploads_of_project on uploads (project_id, created_at, id);
create index uploads_of_content on uploads (content_id);
create trigger content_uses after insert or delete on uploads
  for each row execute function count_content_use();
