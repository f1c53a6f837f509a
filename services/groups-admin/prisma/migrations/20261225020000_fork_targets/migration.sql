-- Where merge requests from a fork go when nothing else is said.
alter table projects add column mr_default_target_self boolean not null default false;
