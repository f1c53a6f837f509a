-- additive
-- A token of SWITCHYARD_ROOT_TOKEN that another one took the place of, and nobody revoked.
alter table personal_access_tokens add column replaced boolean not null default false;
