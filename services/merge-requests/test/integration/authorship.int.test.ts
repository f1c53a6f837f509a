import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { reassign } from '@switchyard/service';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { places } from '../../src/authorship';
import { service } from '../../src/service';

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'authorship test' });
});
afterAll(async () => {
  await db.close();
  await database.close();
});

it('another user takes the place of one everywhere in a project, and nowhere else (ADR 67)', async () => {
  await db.query(sql`
    insert into merge_requests (project_id, iid, source_project_id, source_branch, target_branch, author_id, title, state,
      merge_user_id, closed_by_id)
    select project, iid, project, 'topic' || iid, 'main', 50, 'Topic', 'closed', 50, 50
    from unnest(array[1, 2]) project, generate_series(1, 3) iid`);
  for (const table of ['assignees', 'reviewers', 'approvals', 'participants'])
    await db.query({
      text: `insert into merge_request_${table} (merge_request_id, user_id)
        select id, who from merge_requests, unnest(array[50, 6]) who where who = 50 or iid = 1`,
      values: [],
    } as never);
  await db.query(sql`
    insert into resource_events (merge_request_id, kind, action, user_id) select id, 'state', 'closed', 50 from merge_requests`);
  await db.query(sql`
    insert into releases (project_id, tag, name, author_id, released_at) values (1, 'v1', 'v1', 50, now()), (2, 'v1', 'v1', 50, now())`);
  await db.query(sql`
    insert into timelogs (merge_request_id, user_id, time_spent, spent_at) select id, 50, 60, now() from merge_requests`);
  const request = { projectId: 1, fromUserId: 50, toUserId: 6 };
  expect(await reassign(db, places, request)).toEqual({ changed: 28, more: false });
  expect(await reassign(db, places, request)).toEqual({ changed: 0, more: false });
  const [found] = await db.query(sql`
    select array(select distinct (project_id, author_id, merge_user_id, closed_by_id)::text from merge_requests order by 1) as rows,
      array(select distinct (project_id, user_id)::text from merge_request_assignees order by 1) as assignees,
      array(select distinct (project_id, user_id)::text from merge_request_reviewers order by 1) as reviewers,
      array(select distinct (project_id, user_id)::text from merge_request_approvals order by 1) as approvals,
      (select count(*)::int from merge_request_participants where user_id = 50) as others,
      array(select (project_id, author_id)::text from releases order by 1) as releases,
      (select count(*)::int from timelogs where user_id = 6) as timelogs,
      bool_and(approved) as approved
    from merge_requests`);
  const linked = ['(1,6)', '(2,50)', '(2,6)'];
  expect(found).toEqual({
    ...{ rows: ['(1,6,6,6)', '(2,50,50,50)'], assignees: linked, reviewers: linked, approvals: linked, others: 3 },
    ...{ releases: ['(1,6)', '(2,50)'], timelogs: 3, approved: true },
  });
});
