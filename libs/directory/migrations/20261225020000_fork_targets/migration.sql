-- No project had it set before.
alter table projects add column mr_default_target_self boolean not null default false;
