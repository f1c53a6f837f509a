-- additive
-- Bytes of the wikis of projects, measured with their repositories.
alter table project_statistics add column wiki_size bigint not null default 0;
