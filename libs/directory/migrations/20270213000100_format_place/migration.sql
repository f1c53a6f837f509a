-- additive
-- Where the replica stood when `format` was written: a process that does not know formats moves on without it.
alter table state add column format_sequence bigint not null default 0, add column format_generation bigint not null default 0;
