-- additive
-- Pauses since an import last got on; they are no tries.
alter table project_imports add column pauses int not null default 0;
