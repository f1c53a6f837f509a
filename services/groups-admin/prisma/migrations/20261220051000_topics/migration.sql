-- A topic of projects (api.md 4.16).
create table topics (
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  title text not null,
  description text,
  avatar_url text,
  -- Projects that are not marked for deletion, and those of them that are not private; kept by the triggers below.
  total_projects_count integer not null default 0,
  non_private_projects_count integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create unique index topics_name_unique on topics (lower(name));
create index topics_by_projects on topics (non_private_projects_count desc, id);
create index topics_search on topics using gin (name gin_trgm_ops);

create table project_topics (
  project_id bigint not null references projects on delete cascade,
  topic_id bigint not null references topics on delete cascade,
  -- Order on the project.
  position integer not null,
  -- What the row has added to the counts of its topic: a change is counted as the difference, so none counts twice.
  counted boolean not null default false,
  counted_open boolean not null default false,
  primary key (project_id, topic_id)
);
create index project_topics_of_topic on project_topics (topic_id, project_id);

alter table avatars add column topic_id bigint unique references topics on delete cascade;
alter table avatars drop constraint avatars_one_owner;
alter table avatars add constraint avatars_one_owner check (num_nonnulls(user_id, namespace_id, project_id, topic_id) = 1);

-- Brings the counts of the topics of some projects up to date. Topics are locked first, in the order of their ids: what
-- the rows have added is read under the lock.
create function count_topics_of(changed bigint[]) returns void language plpgsql as $$
begin
  perform 1 from topics where id in (select topic_id from project_topics where project_id = any(changed))
    order by id for no key update;
  with wanted as (
    select pt.project_id, pt.topic_id, pt.counted as was, pt.counted_open as was_open, shown.lives as counted,
      shown.lives and p.visibility <> 'private' as counted_open
    from project_topics pt join projects p on p.id = pt.project_id join namespaces n on n.id = p.namespace_id
    cross join lateral (
      select p.marked_for_deletion_at is null and not exists (
        select from namespaces a where a.id = any(n.ancestry) and a.marked_for_deletion_at is not null) as lives) shown
    where pt.project_id = any(changed)
  ), noted as (
    update project_topics pt set counted = w.counted, counted_open = w.counted_open from wanted w
    where pt.project_id = w.project_id and pt.topic_id = w.topic_id
      and (w.was, w.was_open) is distinct from (w.counted, w.counted_open)
    returning pt.topic_id, w.counted::int - w.was::int as total, w.counted_open::int - w.was_open::int as open
  )
  update topics t set total_projects_count = t.total_projects_count + d.total,
    non_private_projects_count = t.non_private_projects_count + d.open
  from (select topic_id, sum(total) as total, sum(open) as open from noted group by topic_id) d where t.id = d.topic_id;
end
$$;

create function count_assigned_topics() returns trigger language plpgsql as $$
begin
  perform count_topics_of(array(select distinct project_id from assigned));
  return null;
end
$$;
create trigger project_topics_count after insert on project_topics
  referencing new table as assigned for each statement execute function count_assigned_topics();

create function uncount_removed_topics() returns trigger language plpgsql as $$
begin
  perform 1 from topics where id in (select topic_id from removed) order by id for no key update;
  update topics t set total_projects_count = t.total_projects_count - d.total,
    non_private_projects_count = t.non_private_projects_count - d.open
  from (
    select topic_id, count(*) filter (where counted) as total, count(*) filter (where counted_open) as open
    from removed group by topic_id) d
  where t.id = d.topic_id;
  return null;
end
$$;
create trigger project_topics_uncount after delete on project_topics
  referencing old table as removed for each statement execute function uncount_removed_topics();

create function count_topics_of_project() returns trigger language plpgsql as $$
begin
  perform count_topics_of(array[new.id]);
  return null;
end
$$;
create trigger projects_count_topics after update of visibility, marked_for_deletion_at, namespace_id on projects
  for each row when (
    old.visibility <> new.visibility or old.namespace_id <> new.namespace_id
    or (old.marked_for_deletion_at is null) <> (new.marked_for_deletion_at is null))
  execute function count_topics_of_project();

-- Only the topmost namespace has the mark, and hides all below.
create function count_topics_below() returns trigger language plpgsql as $$
begin
  perform count_topics_of(array(
    select p.id from projects p join namespaces n on n.id = p.namespace_id
    where n.ancestry @> array[new.id] and exists (select from project_topics pt where pt.project_id = p.id)));
  return null;
end
$$;
create trigger namespaces_count_topics after update of marked_for_deletion_at on namespaces
  for each row when ((old.marked_for_deletion_at is null) <> (new.marked_for_deletion_at is null))
  execute function count_topics_below();

-- What projects carry in projects.topics so far; that column is no longer read, and goes with the next release.
insert into topics (name, title)
select distinct on (lower(given.name)) given.name, given.name
from projects p, unnest(p.topics) as given (name) where given.name <> '' order by lower(given.name), p.id;

insert into project_topics (project_id, topic_id, position)
select p.id, t.id, min(given.position)
from projects p, unnest(p.topics) with ordinality as given (name, position), topics t
where lower(t.name) = lower(given.name) group by p.id, t.id;
