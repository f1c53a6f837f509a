-- Options of a push and who sent them: with the intent, so that what they ask for is done by whoever settles the push.
alter table ref_change_intents add column push_options jsonb;
