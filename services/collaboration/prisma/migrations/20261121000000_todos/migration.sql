create table todos (
  id bigint generated always as identity primary key,
  user_id bigint not null,
  author_id bigint not null,
  project_id bigint,
  group_id bigint,
  action text not null,
  target_type text not null,
  target_id bigint not null,
  target_iid bigint,
  note_id bigint,
  cause text not null default '',
  body text,
  state text not null default 'pending',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint todos_belong_once check (num_nonnulls(project_id, group_id) = 1),
  constraint todos_state check (state in ('pending', 'done'))
);

create unique index todos_pending_once on todos (user_id, target_type, target_id, action, cause) where state = 'pending';
create index todos_user_id_state_id_idx on todos (user_id, state, id);
create index todos_user_id_state_action_id_idx on todos (user_id, state, action, id);
create index todos_user_id_state_author_id_id_idx on todos (user_id, state, author_id, id);
create index todos_user_id_state_project_id_id_idx on todos (user_id, state, project_id, id);
create index todos_user_id_state_target_type_id_idx on todos (user_id, state, target_type, id);
create index todos_target_type_target_id_idx on todos (target_type, target_id);
create index todos_project_id_idx on todos (project_id);

create table removed_targets (
  target_type text not null,
  target_id bigint not null,
  removed_at timestamptz(3) not null default now(),
  primary key (target_type, target_id)
);
