alter table labels add column priority integer;

-- Rows of before this column are read anew at the next start.
update state set refill = true where generation > 0;
