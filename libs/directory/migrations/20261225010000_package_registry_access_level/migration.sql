alter table projects add column package_registry_access_level text not null default 'enabled';
