alter table projects add column snippets_access_level text not null default 'enabled';

-- Rows of before this column are read anew at the next start.
update state set refill = true where generation > 0;
