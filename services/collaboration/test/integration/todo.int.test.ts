import { countStatements, type Database, openDatabase, prismaAdapter } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type Directory, startDirectory } from '@switchyard/directory';
import { logger } from '@switchyard/telemetry';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { DirectoryModel } from '@switchyard/testkit/installation';
import { PrismaClient } from '../../src/generated/prisma/client';
import { service } from '../../src/service';
import type { TodoStore } from '../../src/todos/application/todo.ports';
import { todoList } from '../../src/todos/storage/todo.list';
import { todoStore } from '../../src/todos/storage/todo.store';

let database: TestDatabase;
let db: Database;
let directory: Directory;
let todos: TodoStore;
let stop: () => Promise<void>;
const model = new DirectoryModel();
const ghost = model.user({ username: 'ghost', bot: true });
const group = model.namespace();
const project = model.project(group.id);
const [ada, bob] = [model.user(), model.user()];
model.member(ada.id, { namespaceId: group.id }, 30);
model.member(bob.id, { namespaceId: group.id }, 30);

const target = (id: number) => ({ type: 'MergeRequest' as const, id, iid: id, projectId: project.id });

beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'todo test' });
  const prisma = new PrismaClient({ adapter: prismaAdapter(db) });
  todos = todoStore(db, prisma);
  directory = await startDirectory({ db, client: model.client, pollMs: 100, log: logger });
  await eventually(() => expect(directory.ready()).toBe(true));
  stop = async () => {
    await directory.close();
    await prisma.$disconnect();
    await db.close();
    await database.close();
  };
});

afterAll(() => stop());
beforeEach(() => db.query(sql`truncate todos, todo_acts`));

const assign = (id: number, ...ids: number[]) =>
  db.transaction((tx) =>
    todos.raise(tx, target(id), [{ action: 'assigned', to: { ids }, authorId: bob.id }], new Date()),
  );

describe('to-dos in the database', () => {
  it('are raised once by raises that race', async () => {
    await Promise.all(Array.from({ length: 8 }, () => assign(1, ada.id, bob.id)));
    expect(await db.query(sql`select user_id from todos order by user_id`)).toEqual([
      { user_id: ada.id },
      { user_id: bob.id },
    ]);
  });

  it('go with their user and with their project', async () => {
    const doomed = model.project(group.id);
    const leaver = model.user();
    model.member(leaver.id, { namespaceId: group.id }, 30);
    await eventually(() => directory.ensure(model.changes.length));
    await assign(1, leaver.id, ada.id);
    await db.transaction((tx) =>
      todos.raise(
        tx,
        { ...target(2), projectId: doomed.id },
        [{ action: 'assigned', to: { ids: [ada.id] }, authorId: leaver.id }],
        new Date(),
      ),
    );
    expect(await todos.removeOrphans(10)).toBe(0);
    model.removeUser(leaver.id, ghost.id);
    model.removeProject(doomed.id);
    await eventually(() => directory.ensure(model.changes.length));
    expect(await todos.removeOrphans(1)).toBe(1);
    expect(await todos.removeOrphans(10)).toBe(1);
    expect(await db.query(sql`select user_id, target_id from todos`)).toEqual([{ user_id: ada.id, target_id: 1 }]);
  });

  it('do not come back on a removed target, which is forgotten in the end', async () => {
    await db.transaction((tx) => todos.removeTarget(tx, target(7)));
    await assign(7, ada.id);
    expect(await db.query(sql`select 1 from todos`)).toEqual([]);
    await todos.forgetRemovedTargets();
    expect(await db.query(sql`select 1 from removed_targets`)).toHaveLength(1);
    await db.query(sql`update removed_targets set removed_at = now() - interval '61 days'`);
    await todos.forgetRemovedTargets();
    expect(await db.query(sql`select 1 from removed_targets`)).toEqual([]);
  });

  it('cost the same statements however many users are asked, and whatever they did', async () => {
    const many = Array.from({ length: 20 }, () => model.user().id);
    for (const id of many) model.member(id, { namespaceId: group.id }, 30);
    await eventually(() => directory.ensure(model.changes.length));
    const costOf = async (ids: number[], at: Date) => {
      const asked = { action: 'assigned' as const, to: { ids }, authorId: bob.id };
      return (await countStatements(() => db.transaction((tx) => todos.raise(tx, target(8), [asked], at)))).statements;
    };
    expect(await costOf(many, new Date(1_000))).toBe(await costOf([ada.id], new Date(1_000)));
    await db.transaction((tx) => todos.resolve(tx, target(8), many[0] ?? 0, new Date(5_000)));
    expect(await costOf(many, new Date(2_000))).toBe(await costOf([ada.id], new Date(2_000)));
  });

  it('are forgotten to have been acted on in the end', async () => {
    await db.transaction((tx) => todos.resolve(tx, target(8), ada.id, new Date(Date.now() - 61 * 86_400_000)));
    await db.transaction((tx) => todos.resolve(tx, target(8), ada.id, new Date()));
    expect(await todos.forgetActs(10)).toBe(1);
    expect(await todos.forgetActs(10)).toBe(0);
    expect(await db.query(sql`select 1 from todo_acts`)).toHaveLength(1);
  });

  it('show the ghost where their author is gone', async () => {
    const leaver = model.user();
    await eventually(() => directory.ensure(model.changes.length));
    await db.transaction((tx) =>
      todos.raise(tx, target(1), [{ action: 'assigned', to: { ids: [ada.id] }, authorId: leaver.id }], new Date()),
    );
    model.removeUser(leaver.id, ghost.id);
    await eventually(() => directory.ensure(model.changes.length));
    const { rows } = await todoList(db).page(
      { userId: ada.id, admin: false, external: false },
      { state: 'pending' },
      { mode: 'offset', page: 1, perPage: 20, orderBy: 'id', sort: 'desc' },
    );
    expect(rows[0]?.author).toMatchObject({ id: ghost.id, username: 'ghost' });
  });

  it('are found through an index whatever the filter', async () => {
    await db.query(sql`
      insert into todos (user_id, author_id, project_id, action, target_type, target_id)
      select 1 + n % 50, 1 + n % 7, ${project.id}, 'assigned', 'MergeRequest', n from generate_series(1, 20000) n`);
    await db.query(sql`analyze todos`);
    for (const filter of [sql`true`, sql`action = 'assigned'`, sql`author_id = 3`, sql`target_type = 'MergeRequest'`]) {
      const plan = await db.query<{ 'QUERY PLAN': string }>(sql`
        explain select id from todos where user_id = 5 and state = 'pending' and ${filter} order by id desc limit 20`);
      const text = plan.map((line) => line['QUERY PLAN']).join('\n');
      expect(text).toContain('Index');
      expect(text).not.toContain('Seq Scan');
      expect(text).not.toContain('Sort');
    }
  });
});
