-- `human`, `bot`, `service_account`, `ghost`, `alert_bot`; empty until a row is read anew.
alter table users add column kind text not null default '';
create index on users (kind) where kind in ('ghost', 'alert_bot');

-- Rows of before this column are read anew at the next start.
update state set refill = true where generation > 0;
