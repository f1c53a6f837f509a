-- A mail to members of a group; one of neither a project nor a group is its recipient's own.
alter table mails add column group_id bigint not null default 0;
