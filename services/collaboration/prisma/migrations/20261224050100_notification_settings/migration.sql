create table notification_settings (
  id bigint generated always as identity primary key,
  user_id bigint not null,
  project_id bigint not null default 0,
  group_id bigint not null default 0,
  level text not null,
  events jsonb not null default '{}',
  email text,
  own_activity boolean not null default false,
  digest text not null default 'none',
  updated_at timestamptz(3) not null default now(),
  constraint notification_settings_level check (level in ('disabled', 'participating', 'watch', 'global', 'mention', 'custom')),
  constraint notification_settings_digest check (digest in ('none', 'daily'))
);
create unique index notification_settings_place on notification_settings (user_id, project_id, group_id);
create index notification_settings_project on notification_settings (project_id, user_id) where project_id > 0;
create index notification_settings_group on notification_settings (group_id, user_id) where group_id > 0;
