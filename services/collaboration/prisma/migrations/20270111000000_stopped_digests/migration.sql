-- `stopped`: no mail about what happens, whatever the levels; what the link of a digest sets.
alter table notification_settings
  drop constraint notification_settings_digest,
  add constraint notification_settings_digest check (digest in ('none', 'daily', 'stopped'));
