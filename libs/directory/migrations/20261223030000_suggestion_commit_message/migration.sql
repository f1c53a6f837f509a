-- No project had one before.
alter table projects add column suggestion_commit_message text;
