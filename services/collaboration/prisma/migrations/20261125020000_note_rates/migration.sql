-- Comments a user asked to write in the present window, counted for all processes together. Unlogged: a crash forgets a minute of counting.
create unlogged table note_rates (
  user_id bigint primary key,
  ends_at timestamptz(3) not null,
  count integer not null
);
