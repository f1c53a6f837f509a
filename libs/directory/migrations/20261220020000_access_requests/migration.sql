alter table namespaces add column mentions_disabled boolean not null default false;

-- Rows of before this column are read again at the next start.
update state set refill = true where generation > 0;
