import { sql } from '@switchyard/database/sql';
import { CreateEpicRequest, ListEpicsRequest, UpdateEpicRequest } from '@switchyard/protos/collaboration/v1/epic';
import type { DirectoryNamespace, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { UserFilter_Kind } from '@switchyard/protos/rpc/v1/filter';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { type Installation, startInstallation } from '../support/installation';
import { type Item, json, pageOf } from '../support/note-fixture';

let here: Installation;
let group: DirectoryNamespace;
let below: DirectoryNamespace;
let hidden: DirectoryNamespace;
let planner: DirectoryUser;
let owner: DirectoryUser;
let guest: DirectoryUser;
let outsider: DirectoryUser;
let levels: Map<number, number>;

beforeAll(async () => {
  here = await startInstallation();
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  group = directory.namespace({ visibility: 'public', fullPath: 'shop', path: 'shop' });
  below = directory.namespace({ visibility: 'public', parentId: group.id, fullPath: 'shop/web', path: 'web' });
  hidden = directory.namespace({ visibility: 'private', parentId: group.id, fullPath: 'shop/vault', path: 'vault' });
  levels = new Map();
  const user = (username: string, level: number): DirectoryUser => {
    const made = directory.user({ username });
    if (level > 0) directory.member(made.id, { namespaceId: group.id }, level);
    levels.set(made.id, level);
    return made;
  };
  [planner, owner, guest, outsider] = [user('pia', 15), user('olga', 50), user('gus', 10), user('otto', 0)];
  await here.startHere();
});
afterAll(() => here.close());

const as = (user: DirectoryUser, at = group) =>
  here.as(user, { id: at.id, level: levels.get(user.id) ?? 0, kind: Access_Kind.KIND_GROUP, tier: 'ultimate' });
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
