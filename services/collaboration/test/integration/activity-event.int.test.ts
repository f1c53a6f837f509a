import { type Database, openDatabase, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type Directory, startDirectory } from '@switchyard/directory';
import { logger } from '@switchyard/telemetry';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { DirectoryModel } from '@switchyard/testkit/installation';
import { pruneActivity } from '../../src/activity/application/prune-activity';
import type { ActivityFilter } from '../../src/activity/domain/activity';
import { type ActivityScope, activityList } from '../../src/activity/storage/activity.list';
import { activityStore } from '../../src/activity/storage/activity.store';
import { service } from '../../src/service';

const rows = 30_000;

let database: TestDatabase;
let db: Database;
let directory: Directory;
const model = new DirectoryModel();
const group = model.namespace();
const [busy, quiet, doomed] = [model.project(group.id), model.project(group.id), model.project(group.id)];
const ada = model.user();
model.member(ada.id, { projectId: busy.id }, 30);
model.member(ada.id, { projectId: quiet.id }, 30);
const viewer = { userId: ada.id, admin: false, external: false };

const fill = (projectId: number, count: number, interval: string) =>
  db.query(sql`
    insert into activity_events (cause, project_id, author_id, action, target_type, target_id, target_iid, target_title, subject_type,
      subject_id, created_at)
    select 'event:' || ${projectId}::text || ':' || n, ${projectId}, case when n % 3 = 0 then ${ada.id}::bigint else 1000 + n % 50 end,
      case when n % 5 = 0 then 'merged' else 'created' end, 'merge_request', n, n, 'Change ' || n, 'merge_request', n,
      now() - n * ${interval}::interval
    from generate_series(1, ${count}) n`);

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'activity test' });
  directory = await startDirectory({ db, client: model.client, pollMs: 100, log: logger });
  await eventually(() => expect(directory.ready()).toBe(true));
  await fill(busy.id, rows, '1 minute');
  await fill(quiet.id, 50, '1 day');
  await db.query(sql`vacuum analyze activity_events`);
});

afterAll(async () => {
  await directory.close();
  await db.close();
  await database.close();
});

const explained = (query: ReturnType<typeof sql>): ReturnType<typeof sql> => {
  const [first = '', ...rest] = query.strings;
  return sql([`explain (analyze, timing off) ${first}`, ...rest] as unknown as TemplateStringsArray, ...query.values);
};

async function plansOf(scope: ActivityScope, filter: ActivityFilter, request: PageRequest): Promise<string[]> {
  const plans: string[] = [];
  const recorder: Database = {
    ...db,
    async query(query) {
      const plan = await db.query<{ 'QUERY PLAN': string }>(explained(query));
      plans.push(plan.map((line) => line['QUERY PLAN']).join('\n'));
      return db.query(query);
    },
  };
  const { rows: found } = await activityList(recorder).page(viewer, scope, filter, request);
  expect(found).toHaveLength(20);
  return plans;
}

const page = (sort: 'asc' | 'desc'): PageRequest => ({
  mode: 'keyset',
  page: 1,
  perPage: 20,
  orderBy: 'created_at',
  sort,
});

describe('activity events in the database', () => {
  const project = { projectId: busy.id };
  const author = { authorId: ada.id };
  it.each([
    ['a project', project, {}, 'activity_events_project_idx'],
    ['a project, by action', project, { action: 'merged' }, 'activity_events_project_action_idx'],
    ['a project, by target', project, { targetType: 'merge_request' }, 'activity_events_project_'],
    ['a project, by day', project, { after: '2020-01-01' }, 'activity_events_project_idx'],
    ['a user', author, {}, 'activity_events_author_idx'],
    ['a user, by action', author, { action: 'merged' }, 'activity_events_author_action_idx'],
  ] as const)('of %s are listed both ways through one walk of an index', async (_, scope, filter, index) => {
    for (const sort of ['asc', 'desc'] as const) {
      const plans = await plansOf(scope, filter, page(sort));
      expect(plans).toHaveLength(1);
      expect(plans[0]).toContain(`using ${index}`);
      expect(plans[0]).not.toMatch(/Seq Scan on activity_events|Sort Method/);
    }
  });

  it('of all projects of a member are listed both ways through one walk for each project', async () => {
    for (const sort of ['asc', 'desc'] as const) {
      const [plan] = await plansOf('member_projects', {}, page(sort));
      expect(plan).toContain('using activity_events_project_idx');
      expect(plan).not.toMatch(/Seq Scan on activity_events/);
      // Of each project's events no more are read than the page has.
      expect(plan).toMatch(/activity_events_project_idx on activity_events e .*rows=2[01](?:\.\d+)? loops=2/);
    }
  });

  it('of all projects of a member are counted and listed, in one order', async () => {
    const list = activityList(db);
    const { rows: found, page: info } = await list.page(
      viewer,
      'member_projects',
      {},
      { ...page('desc'), mode: 'offset' },
    );
    expect(found).toHaveLength(20);
    expect(info).toMatchObject({ hasNext: true });
    expect(info.total).toBeUndefined();
    const all = await db.query<{ id: number }>(sql`
      select id from activity_events where action = 'merged' order by created_at desc, id desc limit 60`);
    const walked: number[] = [];
    let cursor: string | undefined;
    for (let at = 0; at < 3; at += 1) {
      const next = await list.page(viewer, 'member_projects', { action: 'merged' }, { ...page('desc'), cursor });
      walked.push(...next.rows.map(({ id }) => id));
      cursor = next.page.nextCursor;
    }
    expect(walked).toEqual(all.map(({ id }) => id));
    const third = { ...page('desc'), mode: 'offset' as const, page: 3 };
    const { rows: last } = await list.page(viewer, 'member_projects', { action: 'merged' }, third);
    expect(last.map(({ id }) => id)).toEqual(walked.slice(40));
  });

  it('go after three years, and with their project, whatever their number', async () => {
    const old = 2_500;
    await db.query(sql`
      insert into activity_events (cause, project_id, author_id, action, subject_type, subject_id, created_at)
      select 'old:' || n, ${busy.id}, ${ada.id}, 'joined', 'project', 0, now() - interval '3 years' - n * interval '1 minute'
      from generate_series(1, ${old}) n`);
    await fill(doomed.id, 1_500, '1 minute');
    model.removeProject(doomed.id);
    await eventually(() => directory.ensure(model.changes.length));
    const events = activityStore(db);
    const limit = new Date();
    limit.setUTCFullYear(limit.getUTCFullYear() - 3);
    expect(await events.removeBefore(limit, 10)).toBe(10);
    await pruneActivity(events);
    const [left] = await db.query<{ count: number }>(sql`select count(*)::int as count from activity_events`);
    expect(left?.count).toBe(rows + 50);
  });
});
