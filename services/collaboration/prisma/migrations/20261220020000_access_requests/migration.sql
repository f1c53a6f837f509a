create index todos_group_id_idx on todos (group_id) where group_id is not null;
