-- additive
-- The least format of what the rows were written with since they were last read as a whole.
alter table state add column format integer not null default 0;
