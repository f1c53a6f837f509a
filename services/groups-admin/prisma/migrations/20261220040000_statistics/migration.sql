-- Sizes of projects in bytes, as the owners of the data last measured them. A row goes with its project: no event and no
-- change of the directory reports it, so the foreign key cascades.
create table project_statistics (
  project_id bigint primary key references projects (id) on delete cascade,
  repository_size bigint not null default 0 check (repository_size >= 0),
  -- Of the default branch.
  commit_count bigint not null default 0 check (commit_count >= 0),
  -- Versions of the measurements: what is older changes nothing.
  repository_version bigint not null default 0,
  snippets_size bigint not null default 0 check (snippets_size >= 0),
  snippets_version bigint not null default 0
);

-- The tree of a top-level group, for the sums over it: below some hundred thousand groups the planner prefers reading all
-- namespaces to the index of `ancestry`, once per group of the page.
create index namespaces_root on namespaces ((ancestry[1]), id);
