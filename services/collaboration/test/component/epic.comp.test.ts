import { sql } from '@switchyard/database/sql';
import { CreateEpicRequest, ListEpicsRequest, UpdateEpicRequest } from '@switchyard/protos/collaboration/v1/epic';
import { CreateIssueRequest, ListIssuesRequest, UpdateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import type { DirectoryNamespace, DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { UserFilter_Kind } from '@switchyard/protos/rpc/v1/filter';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { eventually } from '@switchyard/testkit';
import { recomputeEpicDates } from '../../src/epic-trees';
import { groupPeople } from '../support/group-people';
import { type Installation, startInstallation } from '../support/installation';
import { type Item, json, pageOf } from '../support/note-fixture';

let here: Installation;
let group: DirectoryNamespace;
let below: DirectoryNamespace;
let hidden: DirectoryNamespace;
let project: DirectoryProject;
let stranger: DirectoryProject;
let strange: DirectoryNamespace;
let dept: DirectoryNamespace;
let team: DirectoryNamespace;
let inTeam: DirectoryProject;
let planner: DirectoryUser;
let owner: DirectoryUser;
let guest: DirectoryUser;
let outsider: DirectoryUser;
let people: ReturnType<typeof groupPeople>;

beforeAll(async () => {
  here = await startInstallation();
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  group = directory.namespace({ visibility: 'public', fullPath: 'shop', path: 'shop' });
  below = directory.namespace({ visibility: 'public', parentId: group.id, fullPath: 'shop/web', path: 'web' });
  hidden = directory.namespace({ visibility: 'private', parentId: group.id, fullPath: 'shop/vault', path: 'vault' });
  project = directory.project(below.id, { visibility: 'public' });
  strange = directory.namespace({ visibility: 'public', fullPath: 'other', path: 'other' });
  stranger = directory.project(strange.id, { visibility: 'public' });
  dept = directory.namespace({ visibility: 'public', parentId: group.id, fullPath: 'shop/dept', path: 'dept' });
  team = directory.namespace({ visibility: 'public', parentId: dept.id, fullPath: 'shop/dept/team', path: 'team' });
  inTeam = directory.project(team.id, { visibility: 'public' });
  people = groupPeople(here, group);
  const { user } = people;
  [planner, owner, guest, outsider] = [user('pia', 15), user('olga', 50), user('gus', 10), user('otto', 0)];
  directory.member(planner.id, { namespaceId: strange.id }, 15);
  await here.startHere();
});
afterAll(() => here.close());

const as = (user: DirectoryUser, at = group) => people.as(user, at);
const open = async (given: Partial<CreateEpicRequest> = {}, user = planner, at = group): Promise<Item> =>
  json(
    await here.epics.createEpic(
      CreateEpicRequest.fromPartial({ groupId: at.id, title: 'Plan', ...given }),
      as(user, at),
    ),
  );
const update = async ({ iid, group_id: groupId }: Item, given: Partial<UpdateEpicRequest>, user = planner) =>
  json(await here.epics.updateEpic(UpdateEpicRequest.fromPartial({ groupId, iid, ...given }), as(user)));
const seen = async ({ iid, group_id: groupId }: Item, user = planner): Promise<Item> =>
  json(await here.epics.getEpic({ groupId, iid }, as(user)));
const listed = async (given: Partial<ListEpicsRequest> = {}, user = planner, at = group): Promise<Item[]> =>
  json(
    await here.epics.listEpics(
      ListEpicsRequest.fromPartial({
        groupId: at.id,
        includeDescendantGroups: true,
        page: pageOf({ descending: false }),
        ...given,
      }),
      as(user, at),
    ),
  );
const titles = async (...asked: Parameters<typeof listed>) => (await listed(...asked)).map(({ title }) => title);

describe('an epic', () => {
  it('is opened, changed, closed, reopened and deleted, each with its event (G-4.18-1 … G-4.18-3)', async () => {
    const epic = await open({
      title: ' A  shop ',
      color: 'teal',
      dates: {
        startDateIsFixed: true,
        startDateFixed: '2026-02-01',
        dueDateIsFixed: false,
        dueDateFixed: '2026-05-01',
      },
    });
    expect(epic).toMatchObject({
      group_id: group.id,
      title: 'A  shop',
      color: '#008080',
      text_color: '#FFFFFF',
      state: 'opened',
      start_date: '2026-02-01',
      end_date: null,
      due_date: null,
      due_date_fixed: '2026-05-01',
      web_url: `https://code.example/groups/shop/-/epics/${epic.iid}`,
      references: { short: `&${epic.iid}`, relative: `&${epic.iid}`, full: `shop&${epic.iid}` },
      subscribed: true,
      _links: { group: `https://code.example/api/v4/groups/${group.id}`, parent: null },
    });
    expect(await update(epic, { dates: { ...none, dueDateIsFixed: true } })).toMatchObject({ end_date: '2026-05-01' });
    await expect(update(epic, { dates: { ...none, dueDateFixed: '2026-01-31' } })).rejects.toMatchObject({
      kind: 'invalid',
    });
    expect(await update(epic, { stateEvent: 'close' })).toMatchObject({ state: 'closed' });
    expect(await update(epic, { stateEvent: 'reopen', title: 'Shop' })).toMatchObject({
      state: 'opened',
      closed_at: null,
    });
    // Those who may not change it are not shown what of its dates is fixed.
    expect(Object.keys(await seen(epic, guest)).filter((name) => /fixed|inherited/.test(name))).toEqual([]);
    await here.epics.deleteEpic({ groupId: group.id, iid: epic.iid, ifUnmodifiedSince: undefined }, as(planner));
    await expect(seen(epic)).rejects.toMatchObject({ kind: 'not_found' });
    const events = await here.db.query<{ event_id: string }>(
      sql`select event_id from events.outbox where event_id like ${`epic.%:${epic.id}:%`} order by id`,
    );
    expect(events.map(({ event_id }) => event_id)).toEqual(
      ['created:9:1', 'updated:9:1', 'closed:9:2', 'updated:9:3', 'reopened:9:3', 'deleted:9:1'].map(
        (id) => `epic.${id.replace(':9:', `:${epic.id}:`)}`,
      ),
    );
  });

  it('is made and changed from Planner on, and deleted by Owners and Planners', async () => {
    const epic = await open();
    await expect(open({}, guest)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(update(epic, { title: 'x' }, guest)).rejects.toMatchObject({ kind: 'forbidden' });
    const remove = (level: number) =>
      here.epics.deleteEpic(
        { groupId: group.id, iid: epic.iid, ifUnmodifiedSince: undefined },
        here.as(owner, { id: group.id, level, kind: Access_Kind.KIND_GROUP }),
      );
    for (const level of [20, 30, 40]) await expect(remove(level)).rejects.toMatchObject({ kind: 'forbidden' });
    await remove(50);
  });

  it('that is confidential is not there for those below Planner', async () => {
    const secret = await open({ title: 'Secret', confidential: true });
    for (const user of [guest, outsider]) {
      await expect(seen(secret, user)).rejects.toMatchObject({ kind: 'not_found' });
      expect(await titles({}, user)).not.toContain('Secret');
    }
    expect(await titles({ filter: { ...filter, confidential: true } })).toContain('Secret');
  });

  it('is subscribed to and left, and has participants', async () => {
    const epic = await open({ description: 'with @gus and @otto' });
    const key = { groupId: group.id, iid: epic.iid };
    const participants = json(await here.epics.listEpicParticipants({ ...key, page: pageOf() }, as(planner)));
    expect(participants.map(({ username }: Item) => username)).toEqual(['pia', 'gus', 'otto']);
    expect((await here.epics.setEpicSubscription({ ...key, subscribed: true }, as(planner))).status).toBe(304);
    expect(json(await here.epics.setEpicSubscription({ ...key, subscribed: false }, as(planner))).subscribed).toBe(
      false,
    );
    expect((await seen(epic)).subscribed).toBe(false);
  });
});

const none = {
  startDateIsFixed: undefined,
  startDateFixed: undefined,
  dueDateIsFixed: undefined,
  dueDateFixed: undefined,
};
const filter = ListEpicsRequest.fromPartial({ filter: {} }).filter!;

describe('a list of epics (G-4.18-6)', () => {
  it('is of the group, the groups below and above, as far as they are seen, by every filter and both pagings', async () => {
    await here.db.query(sql`truncate epics cascade`);
    const first = await open({ title: 'alpha one' });
    await open({ title: 'Beta', description: 'two words' }, owner);
    await open({ title: 'web' }, owner, below);
    await open({ title: 'vault' }, owner, hidden);
    await update(first, { stateEvent: 'close' });
    expect(await titles()).toEqual(['alpha one', 'Beta', 'web', 'vault']);
    expect(await titles({}, outsider)).toEqual(['alpha one', 'Beta', 'web']);
    expect(await titles({ includeDescendantGroups: false })).toEqual(['alpha one', 'Beta']);
    expect(await titles({ includeAncestorGroups: true }, planner, below)).toEqual(['alpha one', 'Beta', 'web']);
    const by = (given: Partial<typeof filter>) => titles({ filter: { ...filter, ...given } });
    const author = { kind: UserFilter_Kind.KIND_USERS, ids: [owner.id], usernames: [] };
    expect(await by({ state: 'closed' })).toEqual(['alpha one']);
    expect(await by({ author })).toEqual(['Beta', 'web', 'vault']);
    expect(await by({ not: { author, labels: undefined } })).toEqual(['alpha one']);
    expect(await by({ search: 'two', searchTitle: true, searchDescription: true })).toEqual(['Beta']);
    expect(await by({ createdBefore: new Date(0) })).toEqual([]);
    expect(await by({ updatedAfter: new Date(0), confidential: false })).toHaveLength(4);
    const sorted = pageOf({ orderBy: 'title', descending: false, perPage: 3, keyset: true });
    const page = await here.epics.listEpics(
      ListEpicsRequest.fromPartial({ groupId: group.id, includeDescendantGroups: true, page: sorted }),
      as(planner),
    );
    expect(json(page).map(({ title }: Item) => title)).toEqual(['alpha one', 'Beta', 'vault']);
    expect(await titles({ page: { ...sorted, cursor: page.page?.nextCursor ?? '' } })).toEqual(['web']);
  });
});

const milestone = (id: number, startDate: string, dueDate: string, deleted = false) =>
  here.directory.write(
    {
      $case: 'milestone',
      value: {
        id,
        iid: id,
        projectId: 0,
        namespaceId: group.id,
        title: `m${id}`,
        description: '',
        state: 'active',
        startDate,
        dueDate,
        createdAt: new Date(0),
        updatedAt: new Date(0),
      },
    },
    deleted,
  );
const inProject = (user = planner, at = project) =>
  here.as(user, { id: at.id, level: people.levelOf(user), tier: 'ultimate' });
const issue = async (given: Partial<CreateIssueRequest> = {}, at = project): Promise<Item> =>
  json(
    await here.issues.createIssue(
      CreateIssueRequest.fromPartial({ projectId: at.id, title: 'Work', ...given }),
      inProject(planner, at),
    ),
  );
const change = async ({ iid }: Item, given: Partial<UpdateIssueRequest>) =>
  json(
    await here.issues.updateIssue(
      UpdateIssueRequest.fromPartial({ projectId: project.id, iid, ...given }),
      inProject(),
    ),
  );
const refOf = ({ group_id: groupId, iid }: Item) => ({ groupId, iid });
const assign = async (epic: Item, { id: issueId }: Item, user = planner): Promise<Item> =>
  json(await here.epicTrees.assignEpicIssue({ epic: refOf(epic), issueId }, as(user)));
const issuesOf = async (epic: Item, user = planner): Promise<Item[]> =>
  json(await here.epicTrees.listEpicIssues({ epic: refOf(epic), page: pageOf() }, as(user)));
const ids = (rows: Item[]) => rows.map(({ id }) => id);
const adopt = async (parent: Item, { id: childEpicId }: Item) =>
  json(await here.epicTrees.assignChildEpic({ epic: refOf(parent), childEpicId }, as(planner)));
const childrenOf = async (epic: Item, user = planner): Promise<Item[]> =>
  json(await here.epicTrees.listChildEpics({ epic: refOf(epic) }, as(user)));

describe('the issues of an epic (G-4.18-7 … G-4.18-10)', () => {
  it('are assigned, listed, moved and removed', async () => {
    const [epic, other] = [await open(), await open({ title: 'Other' })];
    const [one, two, three] = [await issue(), await issue(), await issue()];
    const links = [await assign(epic, one), await assign(epic, two), await assign(epic, three)];
    expect(links[0]).toMatchObject({ issue: { id: one.id, epic_iid: epic.iid }, epic: { id: epic.id } });
    await expect(assign(epic, one)).rejects.toMatchObject({ kind: 'conflict' });
    await expect(assign(epic, { id: 999_999 })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(assign(epic, one, guest)).rejects.toMatchObject({ kind: 'forbidden' });
    const listed = await issuesOf(epic, outsider);
    expect(listed.map(({ id, epic_issue_id }) => [id, epic_issue_id])).toEqual(
      [one, two, three].map(({ id }, at) => [id, links[at]?.id]),
    );
    const move = async (at: number, moveBeforeId: number, moveAfterId: number) =>
      ids(
        json(
          await here.epicTrees.moveEpicIssue(
            { epic: refOf(epic), epicIssueId: links[at].id, neighbours: { moveBeforeId, moveAfterId } },
            as(planner),
          ),
        ),
      );
    expect(await move(2, 0, links[0].id)).toEqual([three.id, one.id, two.id]);
    expect(await move(2, links[0].id, 0)).toEqual([one.id, three.id, two.id]);
    expect(await move(2, links[0].id, links[1].id)).toEqual([one.id, three.id, two.id]);
    // Neighbours in the other order leave no place between them, nor does one that is both.
    for (const [behind, before] of [
      [links[2].id, links[0].id],
      [links[0].id, links[0].id],
    ])
      await expect(move(1, behind, before)).rejects.toMatchObject({ kind: 'bad_request' });
    const elsewhere = await assign(other, await issue());
    for (const neighbour of [links[0].id, elsewhere.id]) {
      await expect(move(0, 0, neighbour)).rejects.toMatchObject({
        kind: 'bad_request',
        body: { message: { error: 'Issue could not be moved!' } },
      });
    }
    // One of another epic is moved there.
    await assign(other, one);
    expect(ids(await issuesOf(epic))).toEqual([three.id, two.id]);
    const removed = json(
      await here.epicTrees.removeEpicIssue({ epic: refOf(epic), epicIssueId: links[2].id }, as(planner)),
    );
    expect([removed.id, removed.issue.id]).toEqual([links[2].id, three.id]);
    expect(ids(await issuesOf(epic))).toEqual([two.id]);
    // Deletion keeps them.
    await here.epics.deleteEpic({ groupId: group.id, iid: epic.iid, ifUnmodifiedSince: undefined }, as(planner));
    expect(await change(two, { title: 'Still here' })).toMatchObject({ epic: null, epic_iid: null });
  });

  it('name it, are set by epic_id and found by it, as far as it is seen', async () => {
    const [epic, secret] = [await open(), await open({ confidential: true })];
    const [one, hidden, bare] = [
      await issue({ epicId: epic.id }),
      await issue({ epicId: secret.id, confidential: true }),
      await issue({ title: 'bare' }),
    ];
    expect(one.epic).toEqual({
      id: epic.id,
      iid: epic.iid,
      title: 'Plan',
      url: `/groups/shop/-/epics/${epic.iid}`,
      group_id: group.id,
    });
    expect(hidden.epic_iid).toBe(secret.iid);
    const found = async (wanted: { none?: boolean; any?: boolean; epicId?: number }, user = planner) =>
      ids(
        json(
          await here.issues.listIssues(
            ListIssuesRequest.fromPartial({ projectId: project.id, filter: { epic: wanted }, page: pageOf() }),
            inProject(user),
          ),
        ),
      );
    expect(await found({ epicId: epic.id })).toEqual([one.id]);
    expect(await found({ epicId: secret.id })).toEqual([hidden.id]);
    expect(await found({ epicId: secret.id }, guest)).toEqual([]);
    expect(await found({ none: true })).toContain(bare.id);
    expect(await found({ any: true })).not.toContain(bare.id);
    expect((await change(one, { epicId: 0 })).epic).toBeNull();
    expect((await change(one, { epicId: epic.id })).epic_iid).toBe(epic.iid);
    await expect(issue({ epicId: 999_999 })).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('lie in its hierarchy, and are confidential where it is; what is refused leaves all as it was', async () => {
    const [epic, secret] = [await open(), await open({ confidential: true })];
    const [one, foreign] = [await issue(), await issue({}, stranger)];
    for (const refused of [() => assign(epic, foreign), () => assign(secret, one)]) {
      await expect(refused()).rejects.toMatchObject({ kind: 'invalid' });
    }
    const quiet = await issue({ confidential: true, epicId: secret.id });
    await expect(change(quiet, { confidential: false })).rejects.toMatchObject({ kind: 'invalid' });
    await assign(epic, one);
    await expect(update(epic, { confidential: true })).rejects.toMatchObject({ kind: 'invalid' });
    expect(await seen(epic)).toMatchObject({ confidential: false });
    expect(ids(await issuesOf(secret))).toEqual([quiet.id]);
  });
});

describe('child epics', () => {
  it('are seven levels deep at most, in no circle, and in one hierarchy', async () => {
    const levelsDown = [await open()];
    for (let level = 1; level < 7; level += 1) levelsDown.push(await open({ parentId: levelsDown.at(-1)?.id }));
    const [top, second] = levelsDown as [Item, Item];
    const bottom = levelsDown.at(-1) as Item;
    expect(bottom).toMatchObject({ parent_id: levelsDown[5]?.id, parent_iid: levelsDown[5]?.iid });
    const tooDeep = await open();
    const other = await open({}, planner, strange);
    const secret = await open({ confidential: true });
    for (const refused of [
      () => adopt(bottom, tooDeep),
      () => open({ parentId: bottom.id }),
      () => adopt(top, top),
      () => adopt(bottom, top),
      () => update(second, { parentId: levelsDown[5]?.id }),
      () => adopt(top, other),
      () => adopt(secret, tooDeep),
      () => update(other, { parentId: top.id }),
    ]) {
      await expect(refused()).rejects.toMatchObject({ kind: 'invalid' });
    }
    await expect(adopt(top, second)).rejects.toMatchObject({ kind: 'conflict' });
    await expect(update(tooDeep, { parentId: 999_999 })).rejects.toMatchObject({ kind: 'not_found' });
    const rows = await here.db.query<{ id: number; parent_id: number | null }>(
      sql`select id, parent_id from epics where id = any(${ids(levelsDown)}::bigint[]) order by id`,
    );
    expect(rows.map(({ parent_id }) => parent_id)).toEqual([null, ...ids(levelsDown).slice(0, 6)]);
  });

  it('make no circle when two requests at once would close one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await open(), await open()];
      const outcomes = await Promise.allSettled([adopt(one, two), adopt(two, one)]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });

  it('are created, listed, moved and removed, and kept when their parent goes', async () => {
    const parent = await open();
    const made = json(
      await here.epicTrees.createChildEpic(
        { epic: refOf(parent), title: 'First', confidential: undefined },
        as(planner),
      ),
    );
    expect(made).toMatchObject({ parent_id: parent.id, has_children: false, reference: `shop&${made.iid}` });
    const [second, secret] = [await open({ title: 'Second' }), await open({ title: 'Secret', confidential: true })];
    await adopt(parent, second);
    await adopt(parent, secret);
    expect((await childrenOf(parent)).map(({ title }) => title)).toEqual(['First', 'Second', 'Secret']);
    expect((await childrenOf(parent, outsider)).map(({ title }) => title)).toEqual(['First', 'Second']);
    const move = (childEpicId: number, moveAfterId: number) =>
      here.epicTrees.moveChildEpic(
        { epic: refOf(parent), childEpicId, neighbours: { moveBeforeId: 0, moveAfterId } },
        as(planner),
      );
    expect(json(await move(secret.id, made.id)).map(({ title }: Item) => title)).toEqual(['Secret', 'First', 'Second']);
    await expect(move(secret.id, secret.id)).rejects.toMatchObject({ kind: 'bad_request' });
    const removed = await here.epicTrees.removeChildEpic({ epic: refOf(parent), childEpicId: secret.id }, as(planner));
    expect(json(removed)).toMatchObject({ id: secret.id, parent_id: null });
    await here.epics.deleteEpic({ groupId: group.id, iid: parent.iid, ifUnmodifiedSince: undefined }, as(planner));
    expect(await seen(second)).toMatchObject({ parent_id: null, _links: { parent: null } });
  });
});

it('epics go along with their group: links of both kinds stay, paths follow, new links obey the new place', async () => {
  const top = await open({ title: 'Top' });
  const middle = await open({ title: 'Middle', parentId: top.id }, planner, dept);
  const low = await open({ title: 'Low', parentId: middle.id }, planner, team);
  const loose = await open({ title: 'Loose' }, planner, dept);
  const there = await open({ title: 'There' }, planner, strange);
  const part = await issue({ epicId: low.id }, inTeam);
  const link = { epic: refOf(top), targetGroup: 'shop/dept', targetIid: loose.iid, linkType: 'blocks' };
  await here.epicTrees.linkRelatedEpic(link, as(planner));
  for (const [moved, fullPath, above] of [
    [dept, 'other/dept', []],
    [team, 'other/dept/team', [dept.id]],
  ] as const) {
    here.directory.namespace({ ...moved, fullPath, ancestry: [strange.id, ...above, moved.id] });
  }
  here.directory.member(planner.id, { namespaceId: dept.id }, 15);
  await eventually(async () =>
    expect(await seen(middle)).toMatchObject({
      group_id: dept.id,
      iid: middle.iid,
      parent_id: top.id,
      web_url: `https://code.example/groups/other/dept/-/epics/${middle.iid}`,
      references: { short: `&${middle.iid}`, full: `other/dept&${middle.iid}` },
    }),
  );
  expect(await seen(low)).toMatchObject({ parent_id: middle.id, references: { full: `other/dept/team&${low.iid}` } });
  expect(ids(await childrenOf(top))).toEqual([middle.id]);
  const [shown] = await issuesOf(low);
  expect(shown).toMatchObject({
    id: part.id,
    epic: { url: `/groups/other/dept/team/-/epics/${low.iid}` },
  });
  const related = { epic: refOf(top), page: pageOf({ orderBy: '' }) };
  expect(json(await here.epicTrees.listRelatedEpics(related, as(planner)))).toMatchObject([
    { id: loose.id, references: { full: `other/dept&${loose.iid}` } },
  ]);
  expect(await titles({}, planner, strange)).toEqual(expect.arrayContaining(['Middle', 'Low', 'Loose', 'There']));
  expect(await titles()).not.toContain('Middle');
  expect(await update(middle, { title: 'Still middle' })).toMatchObject({ parent_id: top.id });
  await expect(adopt(top, loose)).rejects.toMatchObject({ kind: 'invalid' });
  await adopt(there, loose);
  expect(await seen(loose)).toMatchObject({ parent_id: there.id });
});

describe('the dates of an epic', () => {
  it('follow milestones, issues and child epics, and a run over all finds nothing else', async () => {
    milestone(7_001, '2026-03-01', '2026-04-01');
    milestone(7_002, '2026-02-01', '2026-03-15');
    await eventually(() =>
      expect(here.db.query(sql`select 1 from directory.milestones where id = 7002`)).resolves.toHaveLength(1),
    );
    const top = await open();
    const middle = await open({ parentId: top.id });
    const low = await open({ parentId: middle.id });
    const one = await issue({ epicId: low.id, milestoneId: 7_001 });
    await issue({ epicId: middle.id, milestoneId: 7_002 });
    const dates = async (epic: Item) => {
      const { start_date, due_date } = await seen(epic);
      return [start_date, due_date];
    };
    const become = (epic: Item, wanted: (string | null)[]) =>
      eventually(async () => expect(await dates(epic)).toEqual(wanted));
    await become(low, ['2026-03-01', '2026-04-01']);
    await become(top, ['2026-02-01', '2026-04-01']);
    milestone(7_001, '2026-01-15', '2026-06-01');
    await become(top, ['2026-01-15', '2026-06-01']);
    await update(low, { dates: { ...none, dueDateIsFixed: true, dueDateFixed: '2026-12-01' } });
    await become(top, ['2026-01-15', '2026-12-01']);
    await change(one, { milestoneId: 7_002 });
    await become(low, ['2026-02-01', '2026-12-01']);
    milestone(7_002, '2026-02-01', '2026-03-15', true);
    await become(top, [null, '2026-12-01']);
    await here.epics.deleteEpic({ groupId: group.id, iid: low.iid, ifUnmodifiedSince: undefined }, as(planner));
    await become(top, [null, null]);
    expect(await recomputeEpicDates(here.db)).toBe(0);
    await here.db.query(sql`update epics set inherited_start_date = '2000-01-01' where id = ${middle.id}`);
    expect(await recomputeEpicDates(here.db)).toBeGreaterThan(0);
    expect(await dates(top)).toEqual([null, null]);
  });
});

describe('the progress of an epic', () => {
  it('counts issues, weights and epics below it, by child, as far as they are seen', async () => {
    const top = await open();
    const child = await open({ parentId: top.id, title: 'Child' });
    const secret = await open({ parentId: top.id, title: 'Secret', confidential: true });
    const deep = await open({ parentId: child.id });
    await issue({ epicId: top.id, weight: 1 });
    const done = await issue({ epicId: deep.id, weight: 5 });
    await issue({ epicId: child.id, weight: 2 });
    await issue({ epicId: secret.id, weight: 9, confidential: true });
    await change(done, { stateEvent: 'close' });
    await update(deep, { stateEvent: 'close' });
    const progress = async (user: DirectoryUser) =>
      json(await here.epicTrees.getEpicProgress({ epic: refOf(top) }, as(user)));
    expect(await progress(planner)).toMatchObject({
      issues: { opened: 3, closed: 1 },
      weights: { opened: 12, closed: 5 },
      epics: { opened: 2, closed: 1 },
      children: [
        {
          id: child.id,
          issues: { opened: 1, closed: 1 },
          weights: { opened: 2, closed: 5 },
          epics: { opened: 1, closed: 1 },
        },
        { id: secret.id, issues: { opened: 1, closed: 0 } },
      ],
    });
    expect(await progress(outsider)).toMatchObject({
      issues: { opened: 2, closed: 1 },
      weights: { opened: 3, closed: 5 },
      children: [{ id: child.id }],
    });
    // A confidential issue of a public epic counts for those who take part in it.
    await issue({ epicId: child.id, weight: 4, confidential: true, assigneeIds: [guest.id] });
    expect(await progress(guest)).toMatchObject({
      issues: { opened: 3, closed: 1 },
      weights: { opened: 7, closed: 5 },
    });
    expect(await progress(outsider)).toMatchObject({ issues: { opened: 2, closed: 1 } });
  });
});
