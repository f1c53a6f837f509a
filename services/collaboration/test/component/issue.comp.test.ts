import { sql } from '@switchyard/database/sql';
import { CreateIssueRequest, ListIssuesRequest, UpdateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { UserFilter_Kind } from '@switchyard/protos/rpc/v1/filter';
import { eventually } from '@switchyard/testkit';
import { issueStore } from '../../src/issues/storage/issue.store';
import { type Item, json, type NoteFixture, pageOf, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;
let elsewhere: DirectoryProject;

beforeAll(async () => {
  fixture = await startNoteFixture();
  const { directory } = fixture.here;
  elsewhere = directory.project(directory.namespace({ fullPath: 'elsewhere', path: 'elsewhere' }).id);
  directory.member(fixture.ada.id, { projectId: elsewhere.id }, 40);
});

afterAll(() => fixture.here.close());

const open = async (given: Partial<CreateIssueRequest> = {}, user = fixture.ada): Promise<Item> => {
  const request = CreateIssueRequest.fromPartial({ projectId: fixture.project.id, title: 'Broken', ...given });
  return json(await fixture.here.issues.createIssue(request, fixture.as(user)));
};

const refOf = ({ project_id: projectId, iid }: Item) => ({
  projectId,
  target: { $case: 'issueIid' as const, value: iid },
});

const comment = async (issue: Item, body: string, user: DirectoryUser = fixture.bob, internal = false): Promise<Item> =>
  json(
    await fixture.here.notes.createNote(
      { noteable: refOf(issue), body, internal, createdAt: undefined },
      fixture.as(user),
    ),
  );

const seen = async ({ iid }: Item, user: DirectoryUser, renderHtml = false): Promise<Item> =>
  json(await fixture.here.issues.getIssue({ projectId: fixture.project.id, iid, renderHtml }, fixture.as(user)));

const inList = async ({ iid }: Item, user: DirectoryUser, renderHtml = false): Promise<Item> => {
  const filter = { iids: [iid] };
  const request = ListIssuesRequest.fromPartial({ projectId: fixture.project.id, renderHtml, filter, page: pageOf() });
  return json(await fixture.here.issues.listIssues(request, fixture.as(user))).find(
    (one: Item) => one.project_id === fixture.project.id,
  );
};

const participants = async ({ iid }: Item, user: DirectoryUser): Promise<string[]> => {
  const request = { projectId: fixture.project.id, iid, page: pageOf() };
  return json(await fixture.here.issues.listIssueParticipants(request, fixture.as(user))).map(
    (one: Item) => one.username,
  );
};

const inElsewhere = () => fixture.here.as({ id: fixture.ada.id }, { id: elsewhere.id, level: 40 });

const elsewherePath = () => `elsewhere/${elsewhere.path}`;

const openIn = async (project: DirectoryProject, given: Partial<CreateIssueRequest> = {}): Promise<Item> => {
  const request = CreateIssueRequest.fromPartial({ projectId: project.id, title: 'Other', ...given });
  return json(await fixture.here.issues.createIssue(request, inElsewhere()));
};

const bodies = async ({ id }: Item): Promise<string[]> => {
  const rows = await fixture.here.db.query<{ body: string }>(sql`
    select n.body from notes n join noteables o on o.id = n.noteable_id where o.kind = 'Issue' and o.target_id = ${id} order by n.id`);
  return rows.map(({ body }) => body);
};

const systemNotes = async (issue: Item) => (await bodies(issue)).filter((body) => body.startsWith('mentioned'));

/** Waits until the references of all events of this beginning have been followed. */
const followed = (event: string) =>
  eventually(async () => {
    const rows = await fixture.here.db.query(sql`
      select 1 from events.inbox where event_id like ${`${event}%`} and consumer_group = 'collaboration.references'`);
    expect(rows).not.toEqual([]);
  });

/** Deletes an issue in a transaction that ends once others wait for it. */
const whileDeleted = (issue: Item, work: () => Promise<unknown>): Promise<[Promise<unknown>]> =>
  fixture.here.db.transaction(async (tx) => {
    await tx.query(sql`delete from issues where id = ${issue.id}`);
    const outcome = work().catch((error: unknown) => error);
    await eventually(async () => {
      const waiting = await tx.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`);
      expect(waiting).not.toEqual([]);
    });
    return [outcome];
  });

describe('an issue', () => {
  it('that is deleted concurrently gets no comment, reaction or subscription', async () => {
    const { here, bob } = fixture;
    const react = (issue: Item) =>
      here.awards.createAwardEmoji(
        { awardable: { noteable: refOf(issue), noteId: undefined }, name: 'star' },
        fixture.as(bob),
      );
    const subscribe = (issue: Item) =>
      here.issues.setIssueSubscription(
        { projectId: fixture.project.id, iid: issue.iid, subscribed: true },
        fixture.as(bob),
      );
    for (const work of [(issue: Item) => comment(issue, 'Me too'), react, subscribe]) {
      const issue = await open();
      const [outcome] = await whileDeleted(issue, () => work(issue));
      expect(await outcome).toMatchObject({ kind: 'not_found' });
    }
  });

  it('shows users who wrote only internal notes to users who read these', async () => {
    const { ada, bob, eve, mallory } = fixture;
    const issue = await open();
    await comment(issue, 'between us', bob, true);
    const [seen, hidden] = [[ada.username, bob.username], [ada.username]];
    expect([await participants(issue, ada), await participants(issue, bob)]).toEqual([seen, seen]);
    expect([await participants(issue, eve), await participants(issue, mallory)]).toEqual([hidden, hidden]);
    await comment(issue, 'for all');
    await comment(issue, 'between us again', bob, true);
    expect(await participants(issue, eve)).toEqual(seen);
  });

  it('counts internal notes only for those who may read them, and keeps its updated_at (G-4.6-9)', async () => {
    const { ada, bob, eve, mallory, here } = fixture;
    const issue = await open();
    await comment(issue, 'for all');
    const noted = await seen(issue, ada);
    const note = await comment(issue, 'between us', bob, true);
    await comment(issue, 'and more', bob, true);
    const counts = async () => {
      const users = [ada, bob, eve, mallory];
      const shown = await Promise.all(users.map((user) => seen(issue, user)));
      const listed = await Promise.all(users.map((user) => inList(issue, user)));
      expect(listed.map(({ user_notes_count: count }) => count)).toEqual(shown.map((one) => one.user_notes_count));
      expect(new Set([...shown, ...listed].map((one) => one.updated_at))).toEqual(new Set([noted.updated_at]));
      return shown.map((one) => one.user_notes_count);
    };
    expect(await counts()).toEqual([3, 3, 1, 1]);
    await here.notes.deleteNote(
      { noteable: refOf(issue), noteId: note.id, ifUnmodifiedSince: undefined },
      fixture.as(bob),
    );
    expect(await counts()).toEqual([2, 2, 1, 1]);
    const key = { projectId: fixture.project.id, iid: issue.iid, toProjectId: elsewhere.id };
    const moved = json(await here.issues.moveIssue(key, fixture.as(ada)));
    const rows = await here.db.query(sql`
      select i.user_notes_count, i.internal_notes_count, c.internal_notes_count as counted
      from issues i join noteables c on c.kind = 'Issue' and c.target_id = i.id where i.id = ${moved.id}`);
    expect(rows).toEqual([{ user_notes_count: 2, internal_notes_count: 1, counted: 1 }]);
  });

  it('is shown with its texts as harmless HTML where that is asked for', async () => {
    const issue = await open({ title: 'a *b* <c>', description: '**d** R-1 <img src=x onerror=alert(1)>' });
    const tracked = `https://tracker.example/${fixture.project.id}/1`;
    const html = {
      title_html: 'a *b* &lt;c&gt;',
      description_html: `<p><strong>d</strong> <a href="${tracked}" rel="nofollow noreferrer noopener">R-1</a> <img src="x" /></p>`,
    };
    expect(await seen(issue, fixture.ada, true)).toMatchObject(html);
    expect(await inList(issue, fixture.ada, true)).toMatchObject(html);
    for (const plain of [await seen(issue, fixture.ada), await inList(issue, fixture.ada)])
      expect(Object.keys(plain).filter((name) => name.endsWith('_html'))).toEqual([]);
  });

  it('has threads that are resolved, by its author and Developers, and stay so when it moves (G-4.7-8)', async () => {
    const { ada, bob, eve, mallory, here } = fixture;
    const issue = await open({}, eve);
    const noteable = refOf(issue);
    const thread = json(
      await here.discussions.createDiscussion(
        { noteable, body: 'Really?', createdAt: undefined, internal: false, position: undefined },
        fixture.as(bob),
      ),
    );
    expect(thread.notes).toMatchObject([{ resolvable: true, resolved: false, resolved_by: null, resolved_at: null }]);
    const discussionId: string = thread.id;
    const resolve = async (resolved: boolean, user: DirectoryUser): Promise<Item> =>
      json(await here.discussions.resolveDiscussion({ noteable, discussionId, resolved }, fixture.as(user)));
    await expect(resolve(true, mallory)).rejects.toMatchObject({ kind: 'forbidden' });
    expect((await resolve(true, eve)).notes).toMatchObject([
      { resolved: true, resolved_by: { username: eve.username }, resolved_at: expect.any(String) },
    ]);
    expect((await resolve(false, bob)).notes).toMatchObject([{ resolved: false, resolved_by: null }]);
    await resolve(true, bob);
    const key = { projectId: fixture.project.id, iid: issue.iid, toProjectId: elsewhere.id };
    const moved = json(await here.issues.moveIssue(key, fixture.as(ada)));
    const [there] = json(
      await here.discussions.listDiscussions({ noteable: refOf(moved), page: pageOf() }, inElsewhere()),
    );
    expect(there.notes).toMatchObject([{ body: 'Really?', resolved: true, resolved_by: { username: bob.username } }]);
  });

  it('keeps what its texts name when it moves, and says so nowhere a second time', async () => {
    const { here, ada, project } = fixture;
    const [home, target] = [await open({ title: 'Named' }), await openIn(elsewhere)];
    const named = await openIn(elsewhere, { iid: home.iid });
    const issue = await open({ description: `depends on #${home.iid}, not \`#${home.iid}\` but !7` });
    await comment(issue, `see #${home.iid} and ${elsewherePath()}#${target.iid}`, ada);
    await eventually(async () => expect(await systemNotes(home)).toEqual([`mentioned in issue #${issue.iid}`]));
    const { iid } = issue;
    const moved = json(
      await here.issues.moveIssue({ projectId: project.id, iid, toProjectId: elsewhere.id }, fixture.as(ada)),
    );
    const old = `${here.directory.namespaces.get(project.namespaceId)?.fullPath}/${project.path}`;
    expect(moved.description).toBe(`depends on ${old}#${home.iid}, not \`#${home.iid}\` but ${old}!7`);
    expect(await bodies(moved)).toContain(`see ${old}#${home.iid} and ${elsewherePath()}#${target.iid}`);
    const change = { projectId: elsewhere.id, iid: moved.iid, title: 'Moved', addLabels: [], removeLabels: [] };
    await here.issues.updateIssue(UpdateIssueRequest.fromPartial(change), inElsewhere());
    await followed(`issue.updated:${moved.id}:`);
    expect(await systemNotes(named)).toEqual([]);
    expect(await systemNotes(home)).toEqual([`mentioned in issue #${issue.iid}`]);
    await eventually(async () => expect(await systemNotes(target)).toEqual([`mentioned in issue ${old}#${issue.iid}`]));
  });

  it('names whom its description mentions, as far as they can read it, and the same people after a move', async () => {
    const { here, ada, bob, eve, mallory, project } = fixture;
    const { username } = eve;
    expect(await participants(await open({ description: `@${username}`, confidential: true }), ada)).toEqual(['ada']);
    const issue = await open({ description: `\`@${username}\` @BOB @${mallory.username} @nobody` });
    expect(await participants(issue, ada)).toEqual(['ada', 'bob']);
    const change = {
      projectId: project.id,
      iid: issue.iid,
      description: `@${username}`,
      addLabels: [],
      removeLabels: [],
    };
    await here.issues.updateIssue(UpdateIssueRequest.fromPartial(change), fixture.as(ada));
    const { iid } = issue;
    const moved = json(
      await here.issues.moveIssue(
        { projectId: project.id, iid, toProjectId: elsewhere.id },
        fixture.as(bob, { admin: true }),
      ),
    );
    const request = { projectId: elsewhere.id, iid: moved.iid, page: pageOf() };
    const seen = json(await here.issues.listIssueParticipants(request, inElsewhere()));
    expect(seen.map((one: Item) => one.username)).toEqual(['ada', 'bob', 'eve']);
  });

  it("of a deleted user is found as the ghost user's, and has no assignee", async () => {
    const { here, ada, project } = fixture;
    const [gone, author] = [here.directory.user({ username: 'gone' }), here.directory.user({ username: 'left' })];
    for (const { id } of [gone, author]) here.directory.member(id, { projectId: project.id }, 30);
    const issue = await open({ title: 'Orphan', assigneeIds: [gone.id], confidential: true }, author);
    const listed = async (filter: object): Promise<Item[]> => {
      const request = {
        projectId: project.id,
        filter: { search: 'Orphan', searchTitle: true, ...filter },
        page: pageOf(),
      };
      return json(await here.issues.listIssues(ListIssuesRequest.fromPartial(request), fixture.as(ada)));
    };
    const [ghost] = [...here.directory.users.values()].filter(({ username }) => username === 'ghost');
    for (const { id } of [gone, author]) here.directory.removeUser(id, ghost?.id ?? 0);
    const kind = UserFilter_Kind.KIND_USERS;
    const filters = [
      { kind, usernames: ['Ghost'] },
      { kind, ids: [ghost?.id ?? 0] },
    ];
    for (const author of filters)
      expect(await listed({ author })).toMatchObject([{ id: issue.id, author: { username: 'ghost' }, assignees: [] }]);
    while ((await issueStore(here.db).removeOrphans(10)) > 0);
    expect(await listed({ assignee: { kind: UserFilter_Kind.KIND_NONE } })).toMatchObject([{ id: issue.id }]);
  });

  it('says what became of its state, labels and milestone, to those who may read it', async () => {
    const { here, ada, bob, project } = fixture;
    await here.db.query(sql`
      insert into directory.milestones (id, iid, project_id, title, state, created_at, updated_at)
      values (901, 9, ${project.id}, 'First', 'active', now(), now())`);
    await here.db.query(sql`
      insert into directory.labels (id, project_id, title, color) values (901, ${project.id}, 'come', '#ff0000'), (902, ${project.id}, 'late', '#00ff00')`);
    const issue = await open({ milestoneId: 901 });
    const key = { projectId: project.id, iid: issue.iid };
    const edit = (change: Partial<UpdateIssueRequest>, user = ada) =>
      here.issues.updateIssue(UpdateIssueRequest.fromPartial({ ...key, ...change }), fixture.as(user));
    for (const labelIds of [[901], [902]]) await issueStore(here.db).change(issue.id, ada.id, () => ({ labelIds }));
    const planned = async (milestoneId: number): Promise<number[]> => {
      const request = ListIssuesRequest.fromPartial({ projectId: project.id, filter: { milestoneId }, page: pageOf() });
      return json(await here.issues.listIssues(request, fixture.as(ada))).map((one: Item) => one.id);
    };
    expect([await planned(901), await planned(902)]).toEqual([[issue.id], []]);
    await edit({ milestoneId: 0 });
    for (const stateEvent of ['close', 'reopen']) await edit({ stateEvent });
    const events = async (kind: string, user = ada): Promise<Item[]> =>
      json(await here.issueEvents.listIssueEvents({ ...key, kind, page: pageOf() }, fixture.as(user)));
    const states = await events('state', bob);
    expect(states.map(({ state, resource_type, user }: Item) => [state, resource_type, user.username])).toEqual([
      ['closed', 'Issue', 'ada'],
      ['reopened', 'Issue', 'ada'],
    ]);
    expect((await events('label')).map(({ action, label }: Item) => [action, label.name])).toEqual([
      ['add', 'come'],
      ['add', 'late'],
      ['remove', 'come'],
    ]);
    expect((await events('milestone')).map(({ action, milestone }: Item) => [action, milestone.title])).toEqual([
      ['add', 'First'],
      ['remove', 'First'],
    ]);
    const get = (kind: string, user = ada) =>
      here.issueEvents.getIssueEvent({ ...key, kind, eventId: states[0].id }, fixture.as(user));
    expect(json(await get('state'))).toEqual(states[0]);
    await expect(get('label')).rejects.toMatchObject({ kind: 'not_found' });
    await expect(get('odd')).rejects.toMatchObject({ kind: 'invalid_params' });
    const elsewhere = here.directory.project(here.directory.namespace().id);
    here.directory.member(ada.id, { projectId: elsewhere.id }, 40);
    await eventually(async () =>
      expect(await here.db.query(sql`select 1 from directory.projects where id = ${elsewhere.id}`)).toHaveLength(1),
    );
    await here.db.query(sql`
      insert into directory.labels (id, project_id, title, color) values (903, ${elsewhere.id}, 'come', '#ff0000')`);
    const moved = json(await here.issues.moveIssue({ ...key, toProjectId: elsewhere.id }, fixture.as(ada)));
    const copied = async (kind: string): Promise<Item[]> =>
      json(
        await here.issueEvents.listIssueEvents(
          { projectId: elsewhere.id, iid: moved.iid, kind, page: pageOf() },
          here.as(ada, { id: elsewhere.id, level: 40 }),
        ),
      );
    expect((await copied('state')).map(({ state, created_at }: Item) => [state, created_at])).toEqual(
      states.map(({ state, created_at }: Item) => [state, created_at]),
    );
    expect((await copied('label')).map(({ action, label }: Item) => [action, label.id])).toEqual([
      ['add', 903],
      ['remove', 903],
    ]);
    expect(await copied('milestone')).toEqual([]);
    await edit({ confidential: true });
    await expect(get('state', fixture.eve)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(events('state', fixture.eve)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('stands by its title without regard to case, page by page', async () => {
    const { here, ada, project } = fixture;
    for (const title of ['sorted b', 'Sorted c', 'SORTED a']) await open({ title });
    const sorted = async (descending: boolean, keyset: boolean): Promise<string[]> => {
      const titles: string[] = [];
      let cursor: string | undefined;
      do {
        const page = pageOf({ orderBy: 'title', descending, keyset, perPage: keyset ? 1 : 100, cursor });
        const filter = { search: 'sorted', searchTitle: true };
        const request = ListIssuesRequest.fromPartial({ projectId: project.id, filter, page });
        const reply = await here.issues.listIssues(request, fixture.as(ada));
        titles.push(...json(reply).map((one: Item) => one.title));
        cursor = reply.page?.nextCursor || undefined;
      } while (cursor !== undefined);
      return titles;
    };
    const order = ['SORTED a', 'sorted b', 'Sorted c'];
    for (const keyset of [false, true]) {
      expect(await sorted(false, keyset)).toEqual(order);
      expect(await sorted(true, keyset)).toEqual([...order].reverse());
    }
  });
});
