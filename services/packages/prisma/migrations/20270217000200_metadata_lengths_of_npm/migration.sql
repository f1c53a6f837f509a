-- no transaction
-- additive
create index concurrently packages_of_npm_lengths on packages (project_id, name, metadata_length)
  where format = 'npm' and status in ('default', 'deprecated') and version is not null;
