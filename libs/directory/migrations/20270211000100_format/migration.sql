-- additive
-- The least format of what the rows were written and stored with since they were last read as a whole, and where the replica
-- stood when that was written: a process that does not know formats moves on without it.
alter table state
  add column format integer not null default 0,
  add column format_sequence bigint not null default 0,
  add column format_generation bigint not null default 0;
