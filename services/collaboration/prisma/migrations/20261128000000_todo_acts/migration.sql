-- When a user acted on a target: what was asked of them there before is done, also when one hears of it later.
create table if not exists todo_acts (
  target_type text not null,
  target_id bigint not null,
  user_id bigint not null,
  acted_at timestamptz(3) not null,
  primary key (target_type, target_id, user_id, acted_at)
);
create index if not exists todo_acts_acted_at_idx on todo_acts (acted_at);

-- What was asked again while a to-do was pending.
alter table todos add column if not exists repeats jsonb;

-- To-dos of one user on one target, the done ones included; serves what the index on the target alone did.
create index if not exists todos_target_type_target_id_user_id_idx on todos (target_type, target_id, user_id);
drop index if exists todos_target_type_target_id_idx;
