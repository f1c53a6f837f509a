-- The stars of a project, the latest first.
create index project_stars_latest on project_stars (project_id, created_at desc, user_id desc);

-- projects.star_count counts the stars of active users. The functions below change it in the transaction of the change
-- that they follow. Both lock the users before the projects, and the projects in the order of their ids: a user who is
-- blocked while they add a star is counted by one of the two and never by both.
create function count_stars(changed_users bigint[], changed_projects bigint[], step integer) returns void
language plpgsql as $$
begin
  perform 1 from users where id = any(changed_users) order by id for share;
  perform 1 from projects where id = any(changed_projects) order by id for no key update;
  update projects p set star_count = p.star_count + step * d.stars
  from (
    select given.project_id, count(*) as stars
    from unnest(changed_users, changed_projects) as given (user_id, project_id) join users u on u.id = given.user_id
    where u.state = 'active' group by given.project_id) d
  where p.id = d.project_id;
end
$$;

create function count_added_stars() returns trigger language plpgsql as $$
begin
  perform count_stars(array_agg(user_id), array_agg(project_id), 1) from added;
  return null;
end
$$;
create trigger project_stars_count after insert on project_stars
  referencing new table as added for each statement execute function count_added_stars();

create function uncount_removed_stars() returns trigger language plpgsql as $$
begin
  perform count_stars(array_agg(user_id), array_agg(project_id), -1) from removed;
  return null;
end
$$;
create trigger project_stars_uncount after delete on project_stars
  referencing old table as removed for each statement execute function uncount_removed_stars();

create function count_stars_of_user() returns trigger language plpgsql as $$
begin
  perform 1 from projects where id in (select project_id from project_stars where user_id = new.id)
    order by id for no key update;
  update projects set star_count = star_count + case new.state when 'active' then 1 else -1 end
  where id in (select project_id from project_stars where user_id = new.id);
  return null;
end
$$;
create trigger users_count_stars after update of state on users
  for each row when ((old.state = 'active') <> (new.state = 'active')) execute function count_stars_of_user();
