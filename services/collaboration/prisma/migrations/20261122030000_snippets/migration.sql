create table snippets (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  author_id bigint not null,
  title text not null,
  description text,
  visibility text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint snippets_visibility check (visibility in ('public', 'internal', 'private')),
  constraint snippets_title check (char_length(title) between 1 and 255)
);

create index snippets_project_id_id_idx on snippets (project_id, id);

create table snippet_files (
  snippet_id bigint not null references snippets (id) on delete cascade,
  place integer not null,
  path text not null,
  content text not null,
  primary key (snippet_id, place)
);
