alter table projects
  add column forked_from_project_id bigint,
  add column fork_network_id bigint,
  add column repository_origin_id bigint,
  add column repository_origin_branch text;
create index projects_forked_from on projects (forked_from_project_id, id) where forked_from_project_id is not null;
create index projects_repository_origin on projects (repository_origin_id, id) where repository_origin_id is not null;

-- Rows of before these columns are read anew at the next start.
update state set refill = true where generation > 0;
