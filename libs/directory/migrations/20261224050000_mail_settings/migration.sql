alter table users add column confirmed_emails text[] not null default '{}';
alter table namespaces add column emails_disabled boolean not null default false;
alter table projects add column emails_disabled boolean not null default false;

-- Rows of before these columns are read anew at the next start.
update state set refill = true where generation > 0;
