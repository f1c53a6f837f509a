-- One row for each thing that carries notes, whatever its kind: its lock, its counters, its version.
create table noteables (
  id bigint generated always as identity primary key,
  kind text not null,
  project_id bigint not null,
  -- Id at its owner; 0 for a commit, which its sha names.
  target_id bigint not null default 0,
  sha text not null default '',
  user_notes_count integer not null default 0,
  unresolved_count integer not null default 0,
  -- Counts changes of what others are told of: orders the events and makes their ids.
  version bigint not null default 0,
  -- The target is gone: what comes late about it leaves no note.
  removed_at timestamptz(3),
  -- Its notes are purged.
  emptied boolean not null default false,
  constraint noteables_named_once check ((target_id = 0) = (sha <> ''))
);

create unique index noteables_target on noteables (kind, target_id, project_id, sha);
create index noteables_project_id_idx on noteables (project_id);
create index noteables_to_empty on noteables (id) where removed_at is not null and not emptied;
create index noteables_to_forget on noteables (removed_at) where emptied;

create table notes (
  id bigint generated always as identity primary key,
  noteable_id bigint not null references noteables (id),
  -- On every row, so that the table can be parted by it without a change of any statement.
  project_id bigint not null,
  -- Twenty bytes, the first six the time in milliseconds: new ones meet at the right edge of the index.
  discussion_id bytea not null,
  -- The oldest note of its discussion.
  starts_discussion boolean not null,
  type text,
  author_id bigint not null,
  body text not null,
  system boolean not null default false,
  -- What a system note tells of.
  action text,
  -- What made a system note: it is written once, however often it is told.
  cause text,
  internal boolean not null default false,
  -- A diff note's place: where it was made, and where it stands since the last push; no line any more: outdated.
  original_position jsonb,
  position jsonb,
  resolved_at timestamptz(3),
  resolved_by_id bigint,
  imported_from text not null default 'none',
  -- A system note that another object caused: shown to those who can read that object.
  source_kind text,
  source_project_id bigint,
  source_id bigint,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint notes_type check (type in ('DiscussionNote', 'DiffNote')),
  constraint notes_discussion_id check (octet_length(discussion_id) = 20),
  constraint notes_resolved check ((resolved_at is null) = (resolved_by_id is null))
);

-- The notes list leaves the items of threads out (api.md 4.6), so its indexes do.
create index notes_list_created on notes (noteable_id, created_at, id) where type is distinct from 'DiscussionNote';
create index notes_list_updated on notes (noteable_id, updated_at, id) where type is distinct from 'DiscussionNote';
create index notes_list_system_created on notes (noteable_id, system, created_at, id) where type is distinct from 'DiscussionNote';
create index notes_list_system_updated on notes (noteable_id, system, updated_at, id) where type is distinct from 'DiscussionNote';
create index notes_discussions on notes (noteable_id, created_at, id) where starts_discussion;
create index notes_discussion_id_created_at_id_idx on notes (discussion_id, created_at, id);
create unique index notes_cause on notes (cause) where cause is not null;

-- Reactions to notes and to what carries them.
create table award_emoji (
  id bigint generated always as identity primary key,
  awardable_type text not null,
  awardable_id bigint not null,
  name text not null,
  user_id bigint not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);

create unique index award_emoji_once on award_emoji (awardable_type, awardable_id, name, user_id);
create index award_emoji_awardable_type_awardable_id_id_idx on award_emoji (awardable_type, awardable_id, id);
create index award_emoji_user_id_awardable_type_name_awardable_id_idx on award_emoji (user_id, awardable_type, name, awardable_id);
