-- additive
-- What of a source an export is made of, once it was read: an export has a bound of each.
alter table export_sources add column components int not null default 0;
alter table export_sources add column links int not null default 0;
-- Bytes of a report unpacked; null for one that came before this was counted.
alter table dependency_reports add column text_size bigint;
