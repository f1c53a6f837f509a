-- For whom a ghost user stands in.
create index on users (ghost_id) where ghost_id is not null;
