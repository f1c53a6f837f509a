-- Null: as the instance protects default branches.
alter table namespaces add column default_branch_protection jsonb;

-- Rows of before this column are read again at the next start.
update state set refill = true where generation > 0;
