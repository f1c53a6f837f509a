-- The top-level group whose service account a user is; null for those of the instance. No foreign key: the accounts of a
-- purged group are deleted after it.
alter table users add column service_account_group_id bigint;
create index users_service_accounts on users (service_account_group_id, id) where user_type = 'service_account';
create index users_service_accounts_username on users (service_account_group_id, username, id)
  where user_type = 'service_account';
