-- Deploy tokens whose end was announced.
alter table deploy_tokens add column expiry_notified boolean not null default false;
create index deploy_tokens_expiring on deploy_tokens (expires_at, id) where not expiry_notified and expires_at is not null;
