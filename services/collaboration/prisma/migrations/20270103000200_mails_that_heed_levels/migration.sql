-- Mails of a role that a recipient at the level `disabled` does not get.
alter table mails add column heeds_level boolean not null default false;
