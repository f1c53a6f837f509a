-- additive
-- Where a repository lies; after a move also where its former copy lies, until that is removed.
alter table repositories
  add column storage text not null default 'default',
  add column former_storage text;
