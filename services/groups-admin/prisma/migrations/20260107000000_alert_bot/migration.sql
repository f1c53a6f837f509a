-- The user in whose name alerts open and close incidents; made at the next start.
alter table users drop constraint users_user_type_check;
alter table users add constraint users_user_type_check
  check (user_type in ('human', 'bot', 'service_account', 'ghost', 'alert_bot'));
drop index users_one_ghost;
create unique index users_one_of_internal on users (user_type) where user_type in ('ghost', 'alert_bot');
