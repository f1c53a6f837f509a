-- To-dos go with the note they came from.
create index todos_note_id_idx on todos (note_id) where note_id is not null;
