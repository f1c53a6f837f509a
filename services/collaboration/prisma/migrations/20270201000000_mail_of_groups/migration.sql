-- Events of epics lie in a group and in no project.
alter table notification_events add column group_id bigint not null default 0;

-- The number of an epic stands for the id that entries have with it.
create index ledger_entries_group_target on ledger_entries (group_id, target_type, target_iid) where group_id > 0;
