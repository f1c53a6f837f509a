-- Refs that come in from another forge.
alter table ref_change_intents
  drop constraint ref_change_intents_source_check,
  add constraint ref_change_intents_source_check check (source in ('push', 'api', 'merge', 'internal', 'import'));
