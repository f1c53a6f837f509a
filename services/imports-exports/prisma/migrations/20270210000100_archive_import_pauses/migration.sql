-- additive
-- Pauses of an import while a service is away, since it last got on.
alter table archive_imports add column pauses int not null default 0;
