import { raw, sql } from '@switchyard/database/sql';
import { issueEvents, mergeRequestEvents } from '@switchyard/events';
import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { MergeRequestEvent } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { countIssuables } from '../../src/issuable-counts/application/count-issuables';
import type { CountedIssuable } from '../../src/issuable-counts/domain/counted-issuable';
import { issuableCounts } from '../../src/issuable-counts/storage/issuable-count.store';
import { issuableCountSubscriptions } from '../../src/issuable-counts/transport/issuable-count.subscription';
import { groupClients, refusal } from '../support/group-clients';
import { pageOf, type RunningGroups, runGroups, shown, type TestUser } from '../support/running-groups';

let running: RunningGroups;
let ada: TestUser;
let group: number;
let subgroup: number;
let project: number;

beforeAll(async () => {
  running = await runGroups();
  ada = await running.user('ada');
});

afterAll(() => running.close());

const { labels, newGroup, newProject } = groupClients(() => running);

let round = 0;
beforeEach(async () => {
  round += 1;
  group = (await newGroup(ada, `team${round}`)).id;
  subgroup = (await newGroup(ada, 'sub', { parentId: group })).id;
  project = (await newProject(ada, subgroup, 'code')).id;
});

const ofGroup = (groupId: number) => ({ groupId, projectId: 0 });
const ofProject = (projectId: number) => ({ groupId: 0, projectId });

type Parent = ReturnType<typeof ofGroup>;
const componentOf = (parent: Parent) => (parent.groupId > 0 ? 'GroupLabel' : 'ProjectLabel');

const create = (
  parent: Parent,
  name: string,
  given: { color?: string; description?: string; priority?: number } = {},
) =>
  shown(
    componentOf(parent),
    labels(ada).createLabel({ parent, name, color: '#112233', description: '', priority: undefined, ...given }),
  );
const listed = async (parent: Parent, given: object = {}): Promise<{ name: string }[]> => {
  const request = {
    parent,
    page: pageOf(),
    search: '',
    includeAncestorGroups: undefined,
    includeDescendantGroups: false,
    onlyGroupLabels: undefined,
    ...given,
  };
  return shown(componentOf(parent), labels(ada).listLabels(request));
};
const list = async (parent: Parent, given: object = {}): Promise<string[]> =>
  (await listed(parent, given)).map(({ name }) => name);
const get = (parent: Parent, label: string, includeAncestorGroups?: boolean) =>
  shown(componentOf(parent), labels(ada).getLabel({ parent, label, includeAncestorGroups }));
const update = (parent: Parent, label: string, change: object) =>
  shown(
    componentOf(parent),
    labels(ada).updateLabel({
      parent,
      label,
      newName: undefined,
      color: undefined,
      description: undefined,
      priority: undefined,
      removePriority: false,
      byTitle: false,
      ...change,
    }),
  );

test('a label is found by id and by title, from below and in its own place', async () => {
  const made = await create(ofGroup(group), 'bug', { color: 'red', description: '<b>broken</b>' });
  expect(made).toMatchObject({
    color: '#ff0000',
    description_html: '<b>broken</b>',
    text_color: '#FFFFFF',
  });
  expect(await get(ofProject(project), 'bug')).toMatchObject({ id: made.id, is_project_label: false, priority: null });
  expect(await get(ofProject(project), String(made.id))).toMatchObject({ name: 'bug' });
  expect(await refusal(get(ofProject(project), 'bug', false))).toEqual({
    kind: 'not_found',
    message: '404 Label Not Found',
  });
});

test('a description is Markdown of one line, in a reply of one label and in a list', async () => {
  const description = '**bold** [site](https://example.com) <script>alert(1)</script>\n\n# no heading';
  const html =
    '<strong>bold</strong> <a href="https://example.com" rel="nofollow noreferrer noopener">site</a> \n\n# no heading';
  for (const parent of [ofGroup(group), ofProject(project)]) {
    const made = await create(parent, 'rendered', { description });
    expect(made).toMatchObject({ description, description_html: html });
    expect(await listed(parent, { search: 'rendered' })).toMatchObject([{ description_html: html }]);
    await labels(ada).deleteLabel({ parent, label: 'rendered', byTitle: true, ifUnmodifiedSince: undefined });
  }
});

describe('issues and merge requests are counted', () => {
  let open: number;
  let shut: number;
  let hidden: number;
  let ids: { bug: number; own: number };
  beforeEach(async () => {
    open = (await newGroup(ada, `counting${round}`, { visibility: 'public' })).id;
    shut = (await newProject(ada, open, 'shut', { visibility: 'public' })).id;
    hidden = (await newProject(ada, open, 'hidden')).id;
    ids = {
      bug: (await create(ofGroup(open), 'bug')).id,
      own: (await create(ofProject(shut), 'own')).id,
    };
  });

  const report = (one: Partial<CountedIssuable>) =>
    running.db.transaction((tx) =>
      issuableCounts.count(tx, {
        kind: 'issue',
        id: 1_000 * round + (one.id ?? 1),
        projectId: shut,
        version: 0,
        state: 'opened',
        confidential: false,
        labelIds: [],
        ...(({ id, ...rest }) => rest)(one),
      }),
    );
  const counts = async (parent: Parent, label: string, viewer: TestUser | undefined) => {
    const target = parent.groupId > 0 ? { group: parent.groupId } : { project: parent.projectId };
    const found = await shown(
      componentOf(parent),
      labels(viewer).getLabel({ parent, label, includeAncestorGroups: true }, target),
    );
    const listed = await shown(
      componentOf(parent),
      labels(viewer).listLabels(
        {
          parent,
          page: pageOf(),
          search: label,
          includeAncestorGroups: undefined,
          includeDescendantGroups: false,
          onlyGroupLabels: undefined,
        },
        target,
      ),
    );
    expect(listed).toEqual([found]);
    return [found.open_issues_count, found.closed_issues_count, found.open_merge_requests_count];
  };
  const ofWhole = async (viewer: TestUser | undefined, projectId = shut) =>
    (
      await shown(
        'Project',
        running.as(viewer, ProjectServiceService).getProject({ projectId } as never, { project: projectId }),
      )
    ).open_issues_count;

  test('by label and in all, as they come, change and go', async () => {
    await report({ labelIds: [ids.bug, ids.own] });
    await report({ id: 2, labelIds: [ids.bug] });
    await report({ id: 3, kind: 'merge_request', labelIds: [ids.bug] });
    await report({ id: 3, labelIds: [ids.bug], projectId: hidden });
    expect(await counts(ofProject(shut), 'bug', ada)).toEqual([2, 0, 1]);
    expect(await counts(ofProject(shut), 'own', ada)).toEqual([1, 0, 0]);
    expect(await counts(ofGroup(open), 'bug', ada)).toEqual([3, 0, 1]);
    expect(await ofWhole(ada)).toBe(2);
    await report({ version: 2, state: 'closed', labelIds: [ids.own] });
    expect(await counts(ofProject(shut), 'bug', ada)).toEqual([1, 0, 1]);
    expect(await counts(ofProject(shut), 'own', ada)).toEqual([0, 1, 0]);
    await report({ version: 1, labelIds: [ids.bug] });
    await report({ id: 2, version: 1, state: 'gone', labelIds: [ids.bug] });
    await report({ id: 2, version: 1, labelIds: [ids.bug] });
    expect(await counts(ofProject(shut), 'bug', ada)).toEqual([0, 0, 1]);
    expect(await ofWhole(ada)).toBe(0);
  });

  test('those that only some see for these alone', async () => {
    const bob = await running.user(`bob_${round}`);
    await report({ labelIds: [ids.bug] });
    await report({ id: 2, labelIds: [ids.bug], confidential: true });
    await report({ id: 3, labelIds: [ids.bug], confidential: true, state: 'closed' });
    await report({ id: 4, labelIds: [ids.bug], projectId: hidden });
    for (const [viewer, seen] of [
      [ada, [2, 1, 0]],
      [bob, [1, 0, 0]],
      [undefined, [1, 0, 0]],
    ] as const) {
      expect(await counts(ofProject(shut), 'bug', viewer)).toEqual(seen);
      expect(await counts(ofGroup(open), 'bug', viewer)).toEqual(viewer === ada ? [3, 1, 0] : seen);
      if (viewer !== undefined) expect(await ofWhole(viewer)).toBe(seen[0]);
    }
    await running.db.query(sql`update projects set issues_access_level = 'private' where id = ${shut}`);
    expect(await counts(ofGroup(open), 'bug', bob)).toEqual([0, 0, 0]);
    expect(await ofWhole(bob)).toBe(0);
    expect(await ofWhole(ada)).toBe(2);
  });

  test('from facts and from states, not from events without a state', async () => {
    const subscriptions = issuableCountSubscriptions(countIssuables({ counts: issuableCounts }));
    const receive = (event: { topic: string }, payload: unknown) => {
      const handle = subscriptions.find((one) => one.event.topic === event.topic)?.handle;
      return running.db.transaction((tx) => handle?.(payload as never, tx, {} as never) ?? Promise.reject());
    };
    const subject = { id: 1_000 * round, projectId: shut, labelIds: [ids.bug], version: 3 };
    const issue = (state: string, fact?: object) =>
      receive(issueEvents, IssueEvent.fromPartial({ issue: { ...subject, state }, fact: fact as never }));
    const mergeRequest = (state: string, fact?: object) =>
      receive(
        mergeRequestEvents,
        MergeRequestEvent.fromPartial({ mergeRequest: { ...subject, state }, fact: fact as never }),
      );
    await issue('', { $case: 'created', value: {} });
    await mergeRequest('', { $case: 'created', value: {} });
    expect(await counts(ofProject(shut), 'bug', ada)).toEqual([0, 0, 0]);
    await issue('opened');
    await mergeRequest('opened');
    expect(await counts(ofProject(shut), 'bug', ada)).toEqual([1, 0, 1]);
    await issue('', { $case: 'deleted', value: {} });
    await issue('opened');
    await mergeRequest('merged', { $case: 'merged', value: {} });
    expect(await counts(ofProject(shut), 'bug', ada)).toEqual([0, 0, 0]);
  });

  test('until their label or project goes', async () => {
    await report({ labelIds: [ids.own] });
    await labels(ada).deleteLabel({
      parent: ofProject(shut),
      label: 'own',
      byTitle: false,
      ifUnmodifiedSince: undefined,
    });
    await report({ version: 1, state: 'closed', labelIds: [ids.own] });
    expect(await running.db.query(sql`select 1 from issuable_counts where label_id = ${ids.own}`)).toEqual([]);
    await running.db.query(sql`update projects set marked_for_deletion_at = now() where id = ${shut}`);
    await running.purge();
    await report({ id: 2 });
    for (const table of ['issuable_counts', 'counted_issuables'])
      expect(await running.db.query(sql`select 1 from ${raw(table)} where project_id = ${shut}`)).toEqual([]);
  });
});

test('lists reach upwards by default, and downwards when requested', async () => {
  await create(ofGroup(group), 'above');
  await create(ofGroup(subgroup), 'middle', { description: 'has words' });
  await create(ofProject(project), 'own');
  expect(await list(ofProject(project))).toEqual(['above', 'middle', 'own']);
  expect(await list(ofProject(project), { includeAncestorGroups: false })).toEqual(['own']);
  expect(await list(ofProject(project), { search: 'WORDS' })).toEqual(['middle']);
  expect(await list(ofGroup(group))).toEqual(['above']);
  expect(await list(ofGroup(group), { includeDescendantGroups: true })).toEqual(['above', 'middle']);
  expect(await list(ofGroup(group), { includeDescendantGroups: true, onlyGroupLabels: false })).toEqual([
    'above',
    'middle',
    'own',
  ]);
});

test('a user who sees a group sees the labels below of groups and projects that they see', async () => {
  const open = (await newGroup(ada, `open${round}`, { visibility: 'public' })).id;
  const hidden = (await newGroup(ada, 'hidden', { parentId: open, visibility: 'private' })).id;
  const secret = (await newProject(ada, open, 'secret')).id;
  await create(ofGroup(open), 'known');
  await create(ofGroup(hidden), 'of a private group');
  await create(ofProject(secret), 'of a private project');
  const everything = {
    parent: ofGroup(open),
    page: pageOf(),
    search: '',
    includeAncestorGroups: undefined,
    includeDescendantGroups: true,
    onlyGroupLabels: false,
  };
  const names = async (viewer: TestUser | undefined) =>
    (await shown('GroupLabel', labels(viewer).listLabels(everything))).map((label: { name: string }) => label.name);
  expect(await names(undefined)).toEqual(['known']);
  expect(await names(await running.user(`bob${round}`))).toEqual(['known']);
  expect(await names(ada)).toEqual(['known', 'of a private group', 'of a private project']);
});

test('a title that can be used already is a conflict, also for two at once', async () => {
  await create(ofGroup(group), 'bug');
  expect(await refusal(create(ofProject(project), 'bug'))).toEqual({
    kind: 'conflict',
    message: 'Label already exists',
  });
  const results = await Promise.allSettled([create(ofProject(project), 'x'), create(ofProject(project), 'x')]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const { reason } = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(await refusal(Promise.reject(reason))).toMatchObject({ kind: 'conflict' });
});

test('titles and colours that are none are refused together', async () => {
  expect(await refusal(create(ofProject(project), 'a,b', { color: 'colourless' }))).toEqual({
    kind: 'invalid',
    message: { title: ['is invalid'], color: ['must be a valid color code'] },
  });
});

test('a label changes and goes where it was made', async () => {
  await create(ofGroup(group), 'inherited');
  await create(ofProject(project), 'draft', { priority: 3 });
  expect(
    await update(ofProject(project), 'draft', { newName: 'ready', color: '#fff', description: 'done' }),
  ).toMatchObject({
    name: 'ready',
    color: '#ffffff',
    text_color: '#1F1E24',
    description: 'done',
    priority: 3,
  });
  expect(await update(ofProject(project), 'ready', { removePriority: true, description: '' })).toMatchObject({
    priority: null,
    description: null,
  });
  expect(await refusal(update(ofProject(project), 'inherited', { color: '#000' }))).toMatchObject({
    kind: 'not_found',
  });
  expect(await refusal(update(ofProject(project), 'ready', { newName: 'inherited' }))).toMatchObject({
    kind: 'conflict',
  });
  expect(await refusal(update(ofProject(project), 'ready', { newName: '', color: '' }))).toMatchObject({
    kind: 'invalid',
    message: { title: ["can't be blank"], color: ['must be a valid color code'] },
  });
  const reply = await labels(ada).deleteLabel({
    parent: ofProject(project),
    label: 'ready',
    byTitle: false,
    ifUnmodifiedSince: undefined,
  });
  expect([reply.status, reply.json.length]).toEqual([204, 0]);
  expect(await list(ofProject(project))).toEqual(['inherited']);
});

test('a title that looks like an id does not find the label with this id', async () => {
  const first = await create(ofProject(project), 'first');
  await create(ofProject(project), String(first.id));
  const byTitle = { byTitle: true };
  expect(await update(ofProject(project), String(first.id), { ...byTitle, description: 'a number' })).toMatchObject({
    name: String(first.id),
  });
  expect(await update(ofProject(project), String(first.id), { description: 'an id' })).toMatchObject({ name: 'first' });
  const named = { parent: ofProject(project), label: String(first.id), ifUnmodifiedSince: undefined };
  await labels(ada).deleteLabel({ ...named, ...byTitle });
  expect(await list(ofProject(project))).toEqual(['first']);
  expect(await refusal(labels(ada).deleteLabel({ ...named, ...byTitle }))).toMatchObject({ kind: 'not_found' });
});

test('EnsureLabels finds the nearest, makes what is missing once, and is for services alone', async () => {
  const inherited = await create(ofGroup(group), 'bug');
  const service = running.asService('merge-requests', LabelServiceService);
  const ensure = (create: boolean) =>
    service.ensureLabels({ projectId: project, groupId: 0, titles: [' new ', 'bug', 'new', ''], create });
  expect((await ensure(false)).labels.map(({ title }) => title)).toEqual(['bug']);
  const answers = await Promise.all([ensure(true), ensure(true), ensure(true)]);
  for (const { labels: ensured, directorySequence } of answers) {
    expect(ensured.map(({ title }) => title)).toEqual(['new', 'bug']);
    expect(ensured[1]?.id).toBe(inherited.id);
    expect(directorySequence).toBeGreaterThan(0);
  }
  expect(new Set(answers.map(({ labels: ensured }) => ensured[0]?.id)).size).toBe(1);
  const many = Array.from({ length: 1_001 }, (_, at) => `label ${at}`);
  expect(await refusal(service.ensureLabels({ projectId: project, groupId: 0, titles: many, create: true }))).toEqual({
    kind: 'invalid',
    message: { labels: ['total must be less than or equal to 1000'] },
  });
  const bad = service.ensureLabels({
    projectId: project,
    groupId: 0,
    titles: ['x'.repeat(256), 'what?'],
    create: true,
  });
  expect(await refusal(bad)).toEqual({
    kind: 'invalid',
    message: { labels: ['is too long (maximum is 255 characters)', 'is invalid'] },
  });
  expect(
    await refusal(labels(ada).ensureLabels({ projectId: project, groupId: 0, titles: ['x'], create: true })),
  ).toMatchObject({
    kind: 'forbidden',
  });
});
