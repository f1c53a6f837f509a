alter table users add column private_profile boolean not null default false;

-- Rows of before this column are read anew at the next start.
update state set refill = true where generation > 0;
