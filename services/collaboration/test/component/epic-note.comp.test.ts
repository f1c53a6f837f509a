import { sql } from '@switchyard/database/sql';
import { CreateEpicRequest, UpdateEpicRequest } from '@switchyard/protos/collaboration/v1/epic';
import { CreateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import type { DirectoryNamespace, DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { eventually } from '@switchyard/testkit';
import { groupPeople } from '../support/group-people';
import { type Installation, startInstallation } from '../support/installation';
import { type Item, json, pageOf } from '../support/note-fixture';

let here: Installation;
let group: DirectoryNamespace;
let other: DirectoryNamespace;
let project: DirectoryProject;
let second: DirectoryProject;
let planner: DirectoryUser;
let developer: DirectoryUser;
let owner: DirectoryUser;
let outsider: DirectoryUser;
let people: ReturnType<typeof groupPeople>;

beforeAll(async () => {
  here = await startInstallation();
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  group = directory.namespace({ visibility: 'public', fullPath: 'shop', path: 'shop' });
  other = directory.namespace({ visibility: 'public', fullPath: 'other', path: 'other' });
  project = directory.project(group.id, { visibility: 'public' });
  second = directory.project(group.id, { visibility: 'public' });
  people = groupPeople(here, group);
  const { user } = people;
  [planner, developer, owner, outsider] = [user('pia', 15), user('dan', 30), user('olga', 50), user('otto', 0)];
  await here.startHere();
});
afterAll(() => here.close());

const as = (user: DirectoryUser, at = group) => people.as(user, at);
const open = async (given: Partial<CreateEpicRequest> = {}, user = planner): Promise<Item> =>
  json(
    await here.epics.createEpic(
      CreateEpicRequest.fromPartial({ groupId: group.id, title: 'Plan', ...given }),
      as(user),
    ),
  );
const update = ({ iid }: Item, given: Partial<UpdateEpicRequest>, user = planner) =>
  here.epics.updateEpic(UpdateEpicRequest.fromPartial({ groupId: group.id, iid, ...given }), as(user));
const seen = async ({ iid }: Item, user = planner): Promise<Item> =>
  json(await here.epics.getEpic({ groupId: group.id, iid }, as(user)));
const ref = ({ id }: Item, at = group) => ({ projectId: at.id, target: { $case: 'epicId' as const, value: id } });
const comment = async (epic: Item, body: string, user = developer, internal = false): Promise<Item> =>
  json(await here.notes.createNote({ noteable: ref(epic), body, internal, createdAt: undefined }, as(user)));
const bodies = async (epic: Item, user = planner): Promise<string[]> =>
  json(
    await here.notes.listNotes(
      { noteable: ref(epic), page: pageOf({ descending: false }), activityFilter: 'only_activity' },
      as(user),
    ),
  ).map(({ body }: Item) => body);
const key = ({ iid }: Item) => ({ groupId: group.id, iid });
const related = async (epic: Item, user = planner): Promise<Item[]> =>
  json(await here.epicTrees.listRelatedEpics({ epic: key(epic), page: pageOf({ orderBy: '' }) }, as(user))).map(
    ({ id, link_type: type }: Item) => [id, type],
  );

describe('an epic as what carries notes', () => {
  it('has notes by its id, threads and reactions, and counts them (G-4.6-3, G-4.7-8, G-4.6-11)', async () => {
    const epic = await open();
    const note = await comment(epic, 'Good');
    expect(note).toMatchObject({ noteable_type: 'Epic', noteable_id: epic.id, project_id: null, resolvable: false });
    expect(note).not.toHaveProperty('noteable_iid');
    await comment(epic, 'Quietly', developer, true);
    const thread = json(
      await here.discussions.createDiscussion(
        { noteable: ref(epic), body: 'Why?', createdAt: undefined, internal: false, position: undefined },
        as(outsider),
      ),
    );
    expect(thread.notes[0]).toMatchObject({ resolvable: true, resolved: false });
    const resolved = { noteable: ref(epic), discussionId: thread.id, resolved: true };
    await expect(here.discussions.resolveDiscussion(resolved, as(outsider))).rejects.toMatchObject({
      kind: 'forbidden',
    });
    expect(json(await here.discussions.resolveDiscussion(resolved, as(developer))).notes[0].resolved).toBe(true);
    const byIid = { projectId: group.id, target: { $case: 'epicIid' as const, value: epic.iid } };
    for (const user of [owner, outsider])
      await here.awards.createAwardEmoji({ awardable: { noteable: byIid, noteId: undefined }, name: '+1' }, as(user));
    expect(await seen(epic, developer)).toMatchObject({ user_notes_count: 3, upvotes: 2, downvotes: 0 });
    expect(await seen(epic, outsider)).toMatchObject({ user_notes_count: 2 });
  });

  it('lets authors and Owners alone change a note, and is not there by the id of another group (G-4.6-6)', async () => {
    const epic = await open();
    const note = await comment(epic, 'Mine');
    const change = (user: DirectoryUser, level = people.levelOf(user)) =>
      here.notes.updateNote(
        { noteable: ref(epic), noteId: note.id, body: `by ${user.username}`, confidential: undefined },
        people.as(user, group, level),
      );
    await expect(change(planner, 40)).rejects.toMatchObject({ kind: 'forbidden' });
    expect(json(await change(owner)).body).toBe('by olga');
    const page = { noteable: ref(epic, other), page: pageOf(), activityFilter: '' };
    await expect(here.notes.listNotes(page, as(planner, other))).rejects.toMatchObject({ kind: 'not_found' });
    const secret = await open({ confidential: true });
    await expect(comment(secret, 'Seen?', outsider)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('gets system notes of what changed, once each, and those alone that its reader may know (api.md 4.18)', async () => {
    const epic = await open();
    const child = await open({ title: 'Child' });
    await update(epic, { title: 'Big plan', confidential: true });
    await update(epic, { confidential: false, stateEvent: 'close' });
    await update(child, { parentId: epic.id });
    const issue = json(
      await here.issues.createIssue(
        CreateIssueRequest.fromPartial({ projectId: project.id, title: 'Part', confidential: true }),
        here.as(planner, { id: project.id, level: 15, tier: 'ultimate' }),
      ),
    );
    await here.epicTrees.assignEpicIssue(
      { epic: { groupId: group.id, iid: epic.iid }, issueId: issue.id },
      as(planner),
    );
    const all = [
      'changed the title from **Plan** to **Big plan**',
      'made it confidential',
      'made it visible to everyone',
      'closed',
      `added child epic shop&${child.iid}`,
      `added issue shop/${project.path}#${issue.iid}`,
    ];
    await eventually(async () => expect((await bodies(epic)).sort()).toEqual([...all].sort()));
    expect(await bodies(epic, outsider)).not.toContain(all[5]);
    expect(await bodies(child, outsider)).toEqual([`added to parent epic shop&${epic.iid}`]);
  });

  it('gets notes of what is opened below it, and of issues that take the place of its own', async () => {
    const epic = await open();
    const child = await open({ title: 'Child', parentId: epic.id });
    const there = here.as(planner, { id: project.id, level: 15, tier: 'ultimate' });
    const issue = json(
      await here.issues.createIssue(
        CreateIssueRequest.fromPartial({ projectId: project.id, title: 'Part', epicId: epic.id }),
        there,
      ),
    );
    const move = { projectId: project.id, iid: issue.iid, toProjectId: second.id };
    const moved = json(await here.issues.moveIssue(move, there));
    await eventually(async () =>
      expect((await bodies(epic)).sort()).toEqual(
        [
          `added child epic shop&${child.iid}`,
          `added issue shop/${project.path}#${issue.iid}`,
          `added issue shop/${second.path}#${moved.iid}`,
        ].sort(),
      ),
    );
    expect(await bodies(child)).toEqual([`added to parent epic shop&${epic.iid}`]);
  });

  it('obeys the quick actions that fit it (G-2-17)', async () => {
    const [epic, child] = [await open(), await open()];
    const { commands_changes: changes } = await comment(
      epic,
      `Now\n/title Plain\n/child_epic shop&${child.iid}\n/todo\n/milestone %x\n/close`,
      planner,
    );
    expect(Object.keys(changes)).toEqual(['title', 'child_epic', 'todo_event', 'state_event']);
    expect(await seen(epic)).toMatchObject({ title: 'Plain', state: 'closed' });
    expect(await seen(child)).toMatchObject({ parent_id: epic.id });
    const { summary } = await comment(epic, `/remove_child_epic &999\n/parent_epic &${child.iid}`, planner);
    expect(summary).toEqual(['Could not apply remove_child_epic command.', 'Could not apply parent_epic command.']);
    await comment(child, '/remove_parent_epic', planner);
    expect(await seen(child)).toMatchObject({ parent_id: null });
    const third = await open();
    const linked = await comment(
      epic,
      `/award :tada:\n/blocked_by &${child.iid} shop&${third.iid}\n/relate &999\n/react tada\n/shrug Well`,
      planner,
    );
    expect(linked.body).toBe('Well ¯\\\uff3f(ツ)\uff3f/¯');
    expect(linked.commands_changes).toEqual({
      emoji_award: 'tada',
      blocked_by: [`&${child.iid}`, `shop&${third.iid}`],
    });
    expect(await related(epic)).toEqual([
      [child.id, 'is_blocked_by'],
      [third.id, 'is_blocked_by'],
    ]);
    await comment(third, `/unlink &${epic.iid}`, planner);
    expect(await related(epic)).toEqual([[child.id, 'is_blocked_by']]);
  });

  it('obeys those of its description in the same change, but those on others', async () => {
    const parent = await open();
    const description = `/title Commanded\n/confidential\n/parent_epic &${parent.iid}\n/relate &${parent.iid}\nText\n/close`;
    const epic = await open({ description });
    expect(epic).toMatchObject({
      title: 'Commanded',
      confidential: true,
      parent_id: parent.id,
      state: 'opened',
      description: `/relate &${parent.iid}\nText\n/close`,
    });
    const edit = {
      description: '/close\n/remove_parent_epic\n/parent_epic other&1\n/remove_parent_epic',
      title: 'Plain',
    };
    expect(json(await update(epic, edit))).toMatchObject({
      title: 'Plain',
      state: 'closed',
      parent_id: null,
      description: null,
    });
  });

  it('takes an issue by a quick action on that, where its author may change both (G-2-17)', async () => {
    const epic = await open();
    const secret = await open({ confidential: true });
    const there = (user: DirectoryUser, tier = 'ultimate') =>
      here.as(user, { id: project.id, level: people.levelOf(user), tier });
    const create = async (description: string, user = planner, epicId?: number): Promise<Item> =>
      json(
        await here.issues.createIssue(
          CreateIssueRequest.fromPartial({ projectId: project.id, title: 'Part', description, epicId }),
          there(user),
        ),
      );
    const issue = await create(`/epic shop&${epic.iid}`);
    expect(issue).toMatchObject({ epic_iid: epic.iid, description: null });
    const say = async (body: string, user = planner, tier?: string): Promise<Item> =>
      json(
        await here.notes.createNote(
          {
            noteable: { projectId: project.id, target: { $case: 'issueIid', value: issue.iid } },
            body,
            internal: false,
            createdAt: undefined,
          },
          there(user, tier),
        ),
      );
    expect(await say('/remove_epic')).toMatchObject({ commands_changes: { epic: null } });
    const refused = { summary: ['Could not apply epic command.'] };
    // What stands in the group of the project, and no further: a text names no epic that its author does not see.
    expect(await say(`/epic &${secret.iid}`, outsider)).toMatchObject(refused);
    expect(await say('/epic &999')).toMatchObject(refused);
    expect(await say(`/epic &${epic.iid}`, planner, 'free')).toMatchObject(refused);
    expect(await say(`/epic &${epic.iid}`)).toMatchObject({ commands_changes: { epic: `&${epic.iid}` } });
    expect(await create(`/epic &${secret.iid}`, outsider)).toMatchObject({ epic: null });
    // What a text names in vain takes no effect from the parameter.
    expect(await create('/epic &999', planner, epic.id)).toMatchObject({ epic_iid: epic.iid });
  });
});

describe('to-dos on an epic (G-4.18-4, G-2-23)', () => {
  const todos = async (user: DirectoryUser): Promise<Item[]> =>
    json(await here.todos.listTodos({ filter: undefined, page: pageOf({ orderBy: '' }) }, here.as(user)));

  it('are made by hand once, belong to its group, and are done by acting there', async () => {
    const epic = await open();
    const make = (user: DirectoryUser) => here.todos.createEpicTodo({ groupId: group.id, epicIid: epic.iid }, as(user));
    const made = json(await make(owner));
    expect(made).toMatchObject({
      action_name: 'marked',
      target_type: 'Epic',
      target: { id: epic.id, iid: epic.iid },
      group: { id: group.id },
      target_url: epic.web_url,
    });
    expect(made).not.toHaveProperty('project');
    expect((await make(owner)).status).toBe(304);
    await comment(epic, 'Seen', owner);
    await eventually(async () => expect(await todos(owner)).toEqual([]));
  });

  it('are raised by mentions in it and in its notes, for those who see it, and go with it', async () => {
    const epic = await open({ description: '@dan and @otto', confidential: true });
    await comment(epic, 'Look here, @olga', planner);
    const on = async (user: DirectoryUser) =>
      (await todos(user))
        .filter(({ target }: Item) => target.id === epic.id)
        .map(({ action_name: name }: Item) => name);
    await eventually(async () => {
      expect(await on(owner)).toEqual(['mentioned']);
      expect(await on(developer)).toEqual(['directly_addressed']);
    });
    expect(await on(outsider)).toEqual([]);
    await here.epics.deleteEpic({ groupId: group.id, iid: epic.iid, ifUnmodifiedSince: undefined }, as(owner));
    await eventually(async () =>
      expect(
        await here.db.query(sql`select 1 from todos where target_id = ${epic.id} and target_type = 'Epic'`),
      ).toEqual([]),
    );
  });
});

it('names and is named by issues, epics and their notes, for those who see both (gaps §10 Issues)', async () => {
  const [epic, other] = [await open({ title: 'Named' }), await open({ title: 'Other' })];
  const issue = async (description: string): Promise<Item> =>
    json(
      await here.issues.createIssue(
        CreateIssueRequest.fromPartial({ projectId: project.id, title: 'Names', description }),
        here.as(developer, { id: project.id, level: 30, tier: 'ultimate' }),
      ),
    );
  const named = await issue(`see &${epic.iid}`);
  const secret = await open({ confidential: true, description: `of shop&${epic.iid}` });
  await comment(other, `like https://code.example/groups/shop/-/epics/${epic.iid} and ${project.path}#${named.iid}`);
  const path = `shop/${project.path}`;
  await eventually(async () =>
    expect((await bodies(epic)).sort()).toEqual(
      [
        `mentioned in issue ${path}#${named.iid}`,
        `mentioned in epic &${secret.iid}`,
        `mentioned in epic &${other.iid}`,
      ].sort(),
    ),
  );
  expect(await bodies(epic, outsider)).toHaveLength(2);
  const onIssue = { projectId: project.id, target: { $case: 'issueIid' as const, value: named.iid } };
  const notes = await here.notes.listNotes(
    { noteable: onIssue, page: pageOf(), activityFilter: '' },
    here.as(developer, { id: project.id, level: 30, tier: 'ultimate' }),
  );
  expect(json(notes).map(({ body }: Item) => body)).toEqual([`mentioned in epic shop&${other.iid}`]);
});

describe('related epics (gaps §4.18)', () => {
  const link = async (epic: Item, other: Item, linkType: string, targetGroup = 'Shop', user = planner): Promise<Item> =>
    json(
      await here.epicTrees.linkRelatedEpic({ epic: key(epic), targetGroup, targetIid: other.iid, linkType }, as(user)),
    );

  it('are linked once in one direction, shown from both sides to those who see both, and unlinked', async () => {
    const [epic, other, secret] = [await open(), await open(), await open({ confidential: true })];
    const made = await link(epic, other, 'is_blocked_by');
    expect(made).toMatchObject({ source_epic: { id: other.id }, target_epic: { id: epic.id }, link_type: 'blocks' });
    await link(epic, secret, 'relates_to', String(group.id));
    expect(await related(epic)).toEqual([
      [other.id, 'is_blocked_by'],
      [secret.id, 'relates_to'],
    ]);
    expect(await related(epic, outsider)).toEqual([[other.id, 'is_blocked_by']]);
    expect(await related(other)).toEqual([[epic.id, 'blocks']]);
    await expect(link(other, epic, 'relates_to')).rejects.toMatchObject({ kind: 'conflict' });
    await expect(link(epic, epic, 'blocks')).rejects.toMatchObject({ kind: 'invalid' });
    await expect(link(epic, { iid: 999 }, 'blocks')).rejects.toMatchObject({ kind: 'not_found' });
    await expect(link(epic, other, 'blocks', 'nowhere')).rejects.toMatchObject({ kind: 'not_found' });
    const unlink = () => here.epicTrees.unlinkRelatedEpic({ epic: key(other), linkId: made.id }, as(planner));
    expect(json(await unlink())).toMatchObject({ id: made.id });
    await expect(unlink()).rejects.toMatchObject({ kind: 'not_found' });
    expect(await related(epic)).toEqual([[secret.id, 'relates_to']]);
    // Each side has its event and its note, which only those see who see the other side.
    const said = ['marked it as blocked by', 'removed the relation with'].map(
      (text) => `${text} epic shop&${other.iid}`,
    );
    await eventually(async () =>
      expect((await bodies(epic)).sort()).toEqual([...said, `marked it as related to epic shop&${secret.iid}`].sort()),
    );
    expect((await bodies(epic, outsider)).sort()).toEqual(said);
    await eventually(async () => expect(await bodies(other)).toContain(`marked it as blocking epic shop&${epic.iid}`));
    const events = await here.db.query<{ event_id: string }>(sql`
      select event_id from events.outbox where event_id like ${`epic.%linked:%:${made.id}`}`);
    expect(events.map(({ event_id }) => event_id).sort()).toEqual(
      [epic, other].flatMap(({ id }) => [`epic.linked:${id}:${made.id}`, `epic.unlinked:${id}:${made.id}`]).sort(),
    );
  });

  it('are linked once by two requests at once from both sides', async () => {
    const [epic, other] = [await open(), await open()];
    const settled = await Promise.allSettled([link(epic, other, 'blocks'), link(other, epic, 'blocks')]);
    expect(settled.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
