import { sql } from '@switchyard/database/sql';
import { isAppError } from '@switchyard/errors';
import { groupClients } from '../support/group-clients';
import { type RunningGroups, runGroups, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let users: TestUser[];

beforeAll(async () => {
  running = await runGroups();
  users = await Promise.all(['ada', 'bob', 'eve'].map((name) => running.user(name, { admin: true })));
});

afterAll(() => running.close());

const { groups, projects, members, labels, milestones, newGroup, newProject, addMember } = groupClients(() => running);

/** A small generator, so that a failure can be run again (mulberry32). */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const refusals = ['invalid', 'bad_request', 'not_found', 'forbidden', 'conflict'] as const;

test.each([1, 2, 3])('changes at once are refused by rule or whole, and leave one tree (seed %i)', async (seed) => {
  const random = seeded(seed);
  const user = (): TestUser => users[random(users.length)] as TestUser;
  const path = (): string => `p${random(5)}`;
  const idsOf = async (table: 'namespaces' | 'projects'): Promise<number[]> => {
    const from = table === 'projects' ? sql`projects` : sql`namespaces where kind = 'group'`;
    const rows = await running.db.query<{ id: number }>(sql`select id from ${from} order by id`);
    return rows.map(({ id }) => id);
  };
  const tops = await Promise.all([1, 2, 3].map((at) => newGroup(user(), `top-${seed}-${at}`)));
  for (let step = 0; step < 6; step += 1) {
    const groupIds = [...(await idsOf('namespaces'))];
    const projectIds = await idsOf('projects');
    const group = (): number => groupIds[random(groupIds.length)] ?? tops[0].id;
    const project = (): number => projectIds[random(projectIds.length)] ?? 999_999;
    const changes: (() => Promise<unknown>)[] = [
      () => newGroup(user(), path(), { parentId: group() }),
      () => newGroup(user(), path(), { parentId: group() }),
      () => newProject(user(), group(), path()),
      () => newProject(user(), group(), path()),
      () => groups(user()).updateGroup({ groupId: group(), settings: { path: path(), name: path() } }),
      () => groups(user()).transferGroup({ groupId: group(), parentId: random(4) === 0 ? 0 : group() }),
      () =>
        projects(user()).updateProject({ projectId: project(), settings: { path: path(), featureAccessLevels: {} } }),
      () => projects(user()).transferProject({ projectId: project(), namespace: String(group()) }),
      () => addMember(user(), { group: group() }, user(), 30),
      () => addMember(user(), { project: project() }, user(), 40),
      () =>
        labels(user()).createLabel({
          parent: { groupId: 0, projectId: project() },
          name: path(),
          color: 'red',
          description: '',
          priority: undefined,
        }),
      () =>
        milestones(user()).createMilestone({
          parent: { groupId: group(), projectId: 0 },
          title: path(),
          description: '',
          dueDate: '',
          startDate: '',
        }),
      () => {
        const groupId = group();
        const source = { groupId, projectId: 0 };
        return members(user()).removeMember(
          { source, userId: user().userId, skipSubresources: false },
          { group: groupId },
        );
      },
      () => projects(user()).deleteProject({ projectId: project(), ifUnmodifiedSince: undefined }),
      () =>
        random(3) === 0
          ? groups(user()).deleteGroup({
              groupId: group(),
              permanentlyRemove: false,
              fullPath: '',
              ifUnmodifiedSince: undefined,
            })
          : running.purge(),
    ];
    const results = await Promise.allSettled(changes.map((change) => change()));
    for (const result of results) {
      if (result.status === 'rejected' && !isAppError(result.reason, ...refusals)) throw result.reason;
    }
  }
  const wrong = await running.db.query(sql`
    select n.id from namespaces n left join namespaces parent on parent.id = n.parent_id
    where n.full_path <> coalesce(parent.full_path || '/', '') || n.path
      or n.full_name <> coalesce(parent.full_name || ' / ', '') || n.name
      or n.ancestry <> coalesce(parent.ancestry, '{}') || n.id`);
  expect(wrong).toEqual([]);
  const shared = await running.db.query(sql`
    select p.id from projects p join namespaces c on c.parent_id = p.namespace_id and lower(c.path) = lower(p.path)`);
  expect(shared).toEqual([]);
  const [sequence] = await running.db.query<{ gapless: boolean }>(sql`
    select count(*) = max(sequence) and max(sequence) = (select value from directory_sequence) as gapless from directory_changes`);
  expect(sequence?.gapless).toBe(true);
  const ownerless = await running.db.query(sql`
    select n.id from namespaces n where n.kind = 'group' and n.marked_for_deletion_at is null and not exists (
      select from memberships m where m.namespace_id = any(n.ancestry) and m.access_level = 50)`);
  expect(ownerless).toEqual([]);
});
