import { groupClients, refusal } from '../support/group-clients';
import { pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let ada: TestUser;
let group: number;
let project: number;

beforeAll(async () => {
  running = await runGroups();
  ada = await running.user('ada');
});

afterAll(() => running.close());

const { milestones, newGroup, newProject } = groupClients(() => running);

let round = 0;
beforeEach(async () => {
  round += 1;
  group = (await newGroup(ada, `team${round}`)).id;
  project = (await newProject(ada, group, 'code')).id;
});

const ofGroup = () => ({ groupId: group, projectId: 0 });
const ofProject = () => ({ groupId: 0, projectId: project });

type Parent = ReturnType<typeof ofGroup>;
const componentOf = (parent: Parent) => (parent.groupId > 0 ? 'GroupMilestone' : 'ProjectMilestone');

const create = (
  parent: Parent,
  title: string,
  given: { dueDate?: string; startDate?: string; description?: string } = {},
) =>
  shown(
    componentOf(parent),
    milestones(ada).createMilestone({ parent, title, description: '', dueDate: '', startDate: '', ...given }),
  );
const update = (parent: Parent, milestoneId: number, change: object) =>
  shown(
    componentOf(parent),
    milestones(ada).updateMilestone({
      parent,
      milestoneId,
      title: undefined,
      description: undefined,
      dueDate: undefined,
      startDate: undefined,
      stateEvent: '',
      ...change,
    }),
  );
const list = async (parent: Parent, given: object = {}): Promise<string[]> => {
  const request = {
    parent,
    page: pageOf(),
    iids: [],
    state: '',
    title: '',
    search: '',
    includeAncestors: false,
    includeDescendants: false,
    updatedBefore: undefined,
    updatedAfter: undefined,
    containingDate: '',
    ...given,
  };
  const found = await shown('Milestone', milestones(ada).listMilestones(request));
  return found.map((milestone: { title: string }) => milestone.title);
};

test('numbers run per parent, without gaps, also when several are made at once', async () => {
  const made = await Promise.all(['a', 'b', 'c', 'd'].map((title) => create(ofProject(), title)));
  expect(made.map(({ iid }) => iid).sort()).toEqual([1, 2, 3, 4]);
  expect(await create(ofGroup(), 'e')).toMatchObject({ iid: 1, group_id: group });
});

test('a milestone shows what it was given', async () => {
  const made = await create(ofProject(), 'v1', {
    dueDate: '2020-02-29',
    startDate: '2020-02-01',
    description: 'First',
  });
  expect(made).toMatchObject({
    project_id: project,
    state: 'active',
    due_date: '2020-02-29',
    start_date: '2020-02-01',
    expired: true,
    description: 'First',
    web_url: `https://forge.example/team${round}/code/-/milestones/1`,
  });
  expect(await update(ofProject(), made.id, { stateEvent: 'close', dueDate: '', title: 'v2' })).toMatchObject({
    title: 'v2',
    state: 'closed',
    due_date: null,
    start_date: '2020-02-01',
    expired: false,
  });
  expect(await update(ofProject(), made.id, { stateEvent: 'activate' })).toMatchObject({ state: 'active' });
  const reply = await milestones(ada).deleteMilestone({
    parent: ofProject(),
    milestoneId: made.id,
    ifUnmodifiedSince: undefined,
  });
  expect(reply.status).toBe(204);
  expect(await refusal(milestones(ada).getMilestone({ parent: ofProject(), milestoneId: made.id }))).toEqual({
    kind: 'not_found',
    message: '404 Not found',
  });
});

test('a user who sees a group sees the milestones below of groups that they see', async () => {
  const open = (await newGroup(ada, `open${round}`, { visibility: 'public' })).id;
  const hidden = (await newGroup(ada, 'hidden', { parentId: open, visibility: 'private' })).id;
  await create({ groupId: open, projectId: 0 }, 'known');
  await create({ groupId: hidden, projectId: 0 }, 'of a private group');
  const everything = {
    parent: { groupId: open, projectId: 0 },
    page: pageOf(),
    iids: [],
    state: '',
    title: '',
    search: '',
    includeAncestors: false,
    includeDescendants: true,
    updatedBefore: undefined,
    updatedAfter: undefined,
    containingDate: '',
  };
  const titles = async (viewer: TestUser | undefined) =>
    (await shown('GroupMilestone', milestones(viewer).listMilestones(everything))).map(
      (milestone: { title: string }) => milestone.title,
    );
  expect(await titles(undefined)).toEqual(['known']);
  expect(await titles(await running.user(`bob${round}`))).toEqual(['known']);
  expect(await titles(ada)).toEqual(['known', 'of a private group']);
});

test('a title that can be used already is refused, also for two at once', async () => {
  const message = { title: ['already being used for another group or project milestone.'] };
  await create(ofGroup(), 'shared');
  expect(await refusal(create(ofProject(), 'shared'))).toEqual({ kind: 'invalid', message });
  const results = await Promise.allSettled([create(ofProject(), 'x'), create(ofProject(), 'x')]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const { reason } = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(await refusal(Promise.reject(reason))).toEqual({ kind: 'invalid', message });
});

test('a due date before the start is refused, of another parent there is none', async () => {
  expect(await refusal(create(ofProject(), 'x', { dueDate: '2020-01-01', startDate: '2020-01-02' }))).toEqual({
    kind: 'invalid',
    message: { due_date: ['must be greater than start date'] },
  });
  const made = await create(ofGroup(), 'y');
  expect(await refusal(update(ofProject(), made.id, { title: 'z' }))).toMatchObject({ kind: 'not_found' });
});

test('lists filter, and put what is due first, first', async () => {
  const late = await create(ofProject(), 'late', { dueDate: '2030-06-01', startDate: '2030-01-01' });
  await create(ofProject(), 'undated', { description: 'Some day' });
  await create(ofProject(), 'soon', { dueDate: '2026-01-01' });
  await create(ofGroup(), 'of the group', { dueDate: '2028-01-01' });
  await update(ofProject(), late.id, { stateEvent: 'close' });
  expect(await list(ofProject())).toEqual(['soon', 'late', 'undated']);
  expect(await list(ofProject(), { includeAncestors: true })).toEqual(['soon', 'of the group', 'late', 'undated']);
  expect(await list(ofProject(), { state: 'closed' })).toEqual(['late']);
  expect(await list(ofProject(), { iids: [2, 3] })).toEqual(['soon', 'undated']);
  expect(await list(ofProject(), { title: 'soon' })).toEqual(['soon']);
  expect(await list(ofProject(), { search: 'some' })).toEqual(['undated']);
  expect(await list(ofProject(), { containingDate: '2030-03-01' })).toEqual(['late']);
  expect(await list(ofProject(), { updatedAfter: new Date(Date.now() + 60_000) })).toEqual([]);
});
