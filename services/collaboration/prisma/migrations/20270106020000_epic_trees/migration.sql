alter table epics
  add column parent_id bigint references epics (id) on delete set null,
  -- Place among the children of its parent.
  add column relative_position bigint,
  -- What its issues' milestones and its child epics give it.
  add column inherited_start_date date,
  add column inherited_due_date date;
create index epics_of_parent on epics (parent_id, relative_position, id) where parent_id is not null;

-- Issues that are parts of epics.
create table epic_issues (
  id bigint generated always as identity primary key,
  epic_id bigint not null references epics (id) on delete cascade,
  issue_id bigint not null references issues (id) on delete cascade,
  relative_position bigint not null,
  constraint epic_issues_issue unique (issue_id)
);
create index epic_issues_of_epic on epic_issues (epic_id, relative_position, id);

-- Epics whose inherited dates are to be computed again.
create table epic_date_work (
  epic_id bigint primary key,
  version bigint not null default 0
);

-- The dates of milestones that the epics have already.
create table epic_milestones (
  milestone_id bigint primary key,
  start_date date,
  due_date date
);

-- Triggers, and not the code of each change: an issue or epic may also go with its project, group or author.
create function mark_epic_dates(epic bigint) returns void language sql as $$
  insert into epic_date_work (epic_id) select epic where epic is not null
  on conflict (epic_id) do update set version = epic_date_work.version + 1
$$;

create function epic_issue_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform mark_epic_dates(old.epic_id); end if;
  if tg_op <> 'DELETE' then perform mark_epic_dates(new.epic_id); end if;
  return null;
end $$;
create trigger epic_issues_mark_dates after insert or delete or update of epic_id, issue_id on epic_issues
  for each row execute function epic_issue_changed();

create function epic_of_issue_changed() returns trigger language plpgsql as $$
begin
  perform mark_epic_dates(link.epic_id) from epic_issues link where link.issue_id = new.id;
  return null;
end $$;
create trigger issues_mark_epic_dates after update of milestone_id on issues
  for each row when (old.milestone_id is distinct from new.milestone_id) execute function epic_of_issue_changed();

create function epic_changed() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or old.parent_id is distinct from new.parent_id then perform mark_epic_dates(old.parent_id); end if;
  if tg_op <> 'DELETE' then perform mark_epic_dates(new.parent_id); end if;
  return null;
end $$;
create trigger epics_mark_dates after delete or
  update of parent_id, start_date_is_fixed, start_date_fixed, due_date_is_fixed, due_date_fixed on epics
  for each row execute function epic_changed();
