-- additive
alter table namespaces add column address_restricted boolean not null default false;
