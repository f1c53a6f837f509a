import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { importPlaceholderEvents, tokenExpiringId, userEvents } from '@switchyard/events';
import { AlertStatusChanged_Cause as Cause } from '@switchyard/protos/alerts/events/v1/alert_event';
import { CreateNoteRequest } from '@switchyard/protos/collaboration/v1/note';
import { TodoFilter } from '@switchyard/protos/collaboration/v1/todo';
import { UserEvent } from '@switchyard/protos/groups_admin/events/v1/user_event';
import { DirectoryProjectSettings, type DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { eventually } from '@switchyard/testkit';
import { type AlertFixture, ended, issueEventsIn, raised, startAlertFixture, wanted } from '../support/alert-fixture';
import { type Item, json, pageOf } from '../support/note-fixture';

let fixture: AlertFixture;

beforeAll(async () => {
  fixture = await startAlertFixture();
  await fixture.here.startHere();
});

afterAll(() => fixture.here.close());

const issueNotes = (id: number) => fixture.systemNotes('Issue', id);
const alertNotes = (id: number) => fixture.systemNotes('AlertManagement::Alert', id);
const allIncidents = () => fixture.here.db.query(sql`select id from issues where issue_type = 'incident'`);

describe('a new alert', () => {
  it('opens an incident once, in the name of the bot, however often the event is delivered', async () => {
    const { bot, project } = fixture;
    const alert = fixture.alert({ title: 'New: Alert', severity: 'critical' });
    const fact = raised({ details: { monitoringTool: 'Watcher', incidentMarkdown: '- [ ] look\n\n@ada' } });
    const before = await allIncidents();
    await fixture.followed(await fixture.publish(alert, fact));
    await fixture.again(alert, fact);
    const [incident, ...others] = await fixture.incidents(alert);
    expect(others).toEqual([]);
    expect(await allIncidents()).toHaveLength(before.length + 1);
    expect(
      await fixture.here.db.one(sql`
        select title, description, issue_type, severity, author_id, state, task_count, project_id, confidential from issues where id = ${incident?.id}`),
    ).toEqual({
      title: `New: Incident ${incident?.iid}`,
      description: expect.stringMatching(/^\| Alert \d+ \| \|\n[\s\S]*`Watcher`[\s\S]*\n- \[ \] look\n\n@ada$/),
      issue_type: 'incident',
      severity: 'critical',
      author_id: bot.id,
      state: 'opened',
      task_count: 1,
      project_id: project.id,
      confidential: false,
    });
    const published = (await issueEventsIn(fixture.here.db)).filter(({ issue }) => issue?.id === incident?.id);
    expect(published).toMatchObject([
      { actorId: bot.id, fact: { $case: 'created', value: { alertId: alert.id, movedFromId: 0 } } },
    ]);
    expect(await alertNotes(alert.id)).toEqual([
      [bot.id, 'raised this alert as reported by `Watcher`'],
      [bot.id, `opened incident #${incident?.iid}`],
    ]);
    // Whom the payload's Markdown names is asked, as on any other issue.
    await eventually(async () =>
      expect(
        await fixture.here.db.query(sql`select user_id, action from todos where target_id = ${incident?.id}`),
      ).toEqual([{ user_id: fixture.ada.id, action: 'directly_addressed' }]),
    );
  });

  it('opens none where the project wants none, has no issues, is archived, or is about to go', async () => {
    const { directory } = fixture.here;
    const before = await allIncidents();
    const group = directory.namespace();
    const without = directory.project(group.id, {
      settings: DirectoryProjectSettings.fromPartial({ issuesEnabled: false }),
    });
    const archived = directory.project(group.id, { archived: true });
    const deleting = directory.project(group.id, { deleting: true });
    const alerts = [
      [fixture.alert(), raised({ openIncident: false })],
      [fixture.alert({ projectId: without.id }), raised()],
      [fixture.alert({ projectId: archived.id }), raised()],
      [fixture.alert({ projectId: deleting.id }), raised()],
    ] as const;
    for (const [alert, fact] of alerts) await fixture.followed(await fixture.publish(alert, fact));
    expect(await allIncidents()).toHaveLength(before.length);
    expect((await Promise.all(alerts.map(([{ id }]) => alertNotes(id)))).map(({ length }) => length)).toEqual([
      1, 1, 1, 0,
    ]);
  });

  it('opens none when its end was published before', async () => {
    const alert = fixture.alert({ status: 'resolved', version: 4 });
    await fixture.followed(await fixture.publish(alert, ended()));
    // A dead letter that is replayed comes after later events.
    await fixture.followed(await fixture.publish({ ...alert, status: 'triggered', version: 0 }, raised()));
    expect(await fixture.incidents(alert)).toEqual([]);
  });
});

describe('the end of an alert', () => {
  it('closes its incident in the name of the bot, with a system note on both, once', async () => {
    const { bot } = fixture;
    const alert = fixture.alert();
    await fixture.publish(alert, raised());
    alert.status = 'resolved';
    await fixture.followed(await fixture.publish(alert, ended()));
    await fixture.again(alert, ended());
    const [incident] = await fixture.incidents(alert);
    expect(await fixture.here.db.one(sql`select state, closed_by_id from issues where id = ${incident?.id}`)).toEqual({
      state: 'closed',
      closed_by_id: bot.id,
    });
    expect(await issueNotes(incident!.id)).toEqual([
      [bot.id, 'closed this incident since the end of its alert was reported'],
    ]);
    expect(await alertNotes(alert.id)).toEqual([
      [bot.id, 'raised this alert'],
      [bot.id, `opened incident #${incident?.iid}`],
      [bot.id, 'changed the status to **Resolved** since its end was reported'],
      [bot.id, 'closed the incident of this alert'],
    ]);
    const facts = (await issueEventsIn(fixture.here.db)).filter(({ issue }) => issue?.id === incident?.id);
    expect(facts.map(({ actorId, fact }) => [actorId, fact?.$case])).toEqual([
      [bot.id, 'created'],
      [bot.id, 'closed'],
    ]);
  });

  it('leaves alone what is closed already, what was deleted, and what the project wants to stay', async () => {
    const [closed, deleted, kept] = [fixture.alert(), fixture.alert(), fixture.alert()];
    for (const alert of [closed, deleted, kept]) await fixture.followed(await fixture.publish(alert, raised()));
    const [incident] = await fixture.incidents(closed);
    await fixture.here.db.query(sql`update issues set state = 'closed', closed_by_id = 5 where id = ${incident?.id}`);
    await fixture.here.db.query(sql`delete from issues where alert_id = ${deleted.id}`);
    for (const alert of [closed, deleted])
      await fixture.followed(await fixture.publish({ ...alert, status: 'resolved' }, ended()));
    await fixture.followed(await fixture.publish({ ...kept, status: 'resolved' }, ended(false)));
    expect(await issueNotes(incident!.id)).toEqual([]);
    expect((await alertNotes(closed.id)).map(([, body]) => body)).not.toContain('closed the incident of this alert');
    expect(await fixture.incidents(deleted)).toEqual([]);
    expect(await fixture.incidents(kept)).toMatchObject([{ state: 'opened' }]);
    // What opened the incident opens no other one after that was deleted.
    await fixture.again(deleted, raised());
    expect(await fixture.incidents(deleted)).toEqual([]);
  });

  it('closes the incident wherever it was moved', async () => {
    const { here, ada } = fixture;
    const elsewhere = here.directory.project(here.directory.namespace().id);
    here.directory.member(ada.id, { projectId: elsewhere.id }, 40);
    const alert = fixture.alert();
    await fixture.followed(await fixture.publish(alert, raised()));
    const [incident] = await fixture.incidents(alert);
    await here.issues.moveIssue(
      { projectId: fixture.project.id, iid: incident!.iid, toProjectId: elsewhere.id },
      here.as(ada, { id: fixture.project.id, level: 40 }),
    );
    const [moved, ...others] = await fixture.incidents(alert);
    expect(others).toEqual([]);
    const published = await issueEventsIn(here.db);
    expect(
      published.find(({ issue, fact }) => issue?.id === moved?.id && fact?.$case === 'created')?.fact,
    ).toMatchObject({
      value: { alertId: alert.id, movedFromId: incident?.id },
    });
    await fixture.followed(await fixture.publish({ ...alert, status: 'resolved' }, ended()));
    expect(await fixture.incidents(alert)).toMatchObject([{ id: moved?.id, state: 'closed' }]);
    expect((await issueNotes(moved!.id)).at(-1)).toEqual([
      fixture.bot.id,
      'closed this incident since the end of its alert was reported',
    ]);
  });
});

it('closes an incident that moves while its alert ends', async () => {
  const { db } = fixture.here;
  const alert = fixture.alert();
  await fixture.followed(await fixture.publish(alert, raised()));
  const [incident] = await fixture.incidents(alert);
  const id = await db.transaction(async (tx) => {
    await tx.query(sql`update issues set alert_id = null, state = 'closed' where id = ${incident?.id}`);
    await tx.query(sql`
      insert into issues (iid, project_id, author_id, title, issue_type, alert_id)
      select iid + 100000, project_id, author_id, title, issue_type, ${alert.id} from issues where id = ${incident?.id}`);
    const published = await fixture.publish({ ...alert, status: 'resolved' }, ended());
    await eventually(async () => expect(await db.query(sql`select 1 from pg_locks where not granted`)).not.toEqual([]));
    return published;
  });
  await fixture.followed(id);
  expect(await fixture.incidents(alert)).toMatchObject([{ iid: (incident?.iid ?? 0) + 100_000, state: 'closed' }]);
});

describe('mail about a new alert', () => {
  const folder = () => join(fixture.here.folder, 'mails');
  const text = (name: string) => readFileSync(join(folder(), name), 'utf8');
  const files = () =>
    readdirSync(folder(), { encoding: 'utf8' }).filter(
      (name) => name.endsWith('.eml') && text(name).includes('A new alert was raised'),
    );

  it('goes to Owners and Maintainers once, where the project wants it and the alert is open', async () => {
    const { ada, here } = fixture;
    const owner = here.directory.user({ name: 'Olga' });
    here.directory.member(owner.id, { projectId: fixture.project.id }, 50);
    const title = 'Disk full\r\nBcc: eve@example.com';
    const fact = raised({ openIncident: false, sendEmail: true, details: { hosts: ['one'], description: 'Look!' } });
    const [open, over, quiet] = [fixture.alert({ title }), fixture.alert({ status: 'resolved' }), fixture.alert()];
    await fixture.publish(quiet, raised({ openIncident: false }));
    await fixture.publish(over, fact);
    await fixture.followed(await fixture.publish(open, fact));
    await fixture.again(open, fact);
    await eventually(() => expect(files()).toHaveLength(2));
    const mails = files().map(text);
    const lines = (mails.find((mail) => mail.includes('Olga')) ?? '').split('\r\n');
    expect(mails.find((mail) => mail.includes(ada.email))).toBeDefined();
    expect(lines).toEqual(
      expect.arrayContaining([
        `To: Olga <${owner.email}>`,
        `Message-ID: <alert.raised.${open.id}.${owner.id}@code.example>`,
        'Auto-Submitted: auto-generated',
        `X-Switchyard-Alert-Iid: ${open.iid}`,
        expect.stringMatching(/^Hosts: +one$/),
        'Look!',
        expect.stringMatching(new RegExp(`^https://code\\.example/\\S+/-/alert_management/${open.iid}/details$`)),
      ]),
    );
    expect(lines.filter((line) => /^bcc:/i.test(line))).toEqual([]);
  });
});

describe('mail about a token that ends soon', () => {
  it('goes to its owner once, or to those who manage its project or group, but no bot (G-5-9)', async () => {
    const { here, project, ada, bob } = fixture;
    const robot = here.directory.user({ name: 'Robot', bot: true });
    const boss = here.directory.user({ name: 'Boss' });
    const gone = here.directory.user({ name: 'Gone', state: 'blocked' });
    here.directory.member(robot.id, { projectId: project.id }, 50);
    here.directory.member(boss.id, { namespaceId: project.namespaceId }, 50);
    // The managers are those whom the replica knows when the event comes.
    await eventually(async () =>
      expect(await here.db.query(sql`select 1 from directory.memberships where user_id = ${boss.id}`)).toHaveLength(1),
    );
    const expiring = async (tokenId: number, userId: number, of: { projectId?: number; groupId?: number }) => {
      const value = { tokenId, name: 'deploy', expiresAt: '2030-01-08', projectId: 0, groupId: 0, ...of };
      const payload = UserEvent.fromPartial({ userId, fact: { $case: 'tokenExpiring', value } });
      const id = tokenExpiringId(tokenId);
      await here.publishEvent(userEvents, payload, id);
    };
    await expiring(1, bob.id, {});
    await expiring(2, robot.id, { projectId: project.id });
    await expiring(3, robot.id, { groupId: project.namespaceId });
    await expiring(4, gone.id, {});
    const mails = () =>
      here.db.query<{ message_id: string; state: string }>(
        sql`select message_id, state from mails where message_id like 'token.%' order by message_id`,
      );
    const expected = [
      [1, bob.id],
      [2, ada.id],
      [2, boss.id],
      [3, boss.id],
    ].map(([id, user]) => `token.expiring.${id}.${user}`);
    await eventually(async () => {
      const rows = await mails();
      const sent = rows.filter(({ state }) => state === 'sent').map(({ message_id: id }) => id);
      expect(sent).toEqual(expect.arrayContaining(expected));
      expect(sent.filter((id) => id.includes(`.${robot.id}`) || /^token\.expiring\.3\./.test(id))).toEqual([
        `token.expiring.3.${boss.id}`,
      ]);
      expect(rows.find(({ message_id: id }) => id.startsWith('token.expiring.4'))?.state).toBe('dropped');
    });
  });
});

describe('mail to who is asked for the place of a placeholder', () => {
  it('goes to members with the path of the project, and once to anybody else without it (ADR 67)', async () => {
    const { here, project, ada } = fixture;
    const stranger = here.directory.user({ name: 'Stranger' });
    const ask = (placeholderId: number, userId: number) =>
      here.publishEvent(
        importPlaceholderEvents,
        { placeholderId, projectId: project.id, userId, login: 'octocat', occurredAt: new Date() },
        `import_placeholder.asked:${placeholderId}:${userId}`,
      );
    for (const placeholderId of [1, 2]) {
      await ask(placeholderId, stranger.id);
      await ask(placeholderId, ada.id);
    }
    await eventually(async () => {
      const rows = await here.db.query<{ message_id: string; state: string; subject: string }>(
        sql`select message_id, state, subject from mails where message_id like 'import_placeholder.%' order by message_id`,
      );
      const path = expect.stringMatching(/.\/.* \| Are you "octocat"\?$/);
      expect(rows).toEqual([
        { message_id: `import_placeholder.1.${ada.id}`, state: 'sent', subject: path },
        { message_id: `import_placeholder.2.${ada.id}`, state: 'sent', subject: path },
        {
          message_id: `import_placeholder.project.${project.id}.${stranger.id}`,
          state: 'sent',
          subject: 'Are you "octocat"?',
        },
      ]);
    });
  });
});

describe('a user who acts on an alert', () => {
  it('opens its incident in their own name, a second one only after the first was deleted', async () => {
    const { bob, bot } = fixture;
    const alert = fixture.alert();
    await fixture.publish(alert, raised({ openIncident: false }));
    await fixture.followed(await fixture.publish(alert, wanted(), { actorId: bob.id }));
    const [first] = await fixture.incidents(alert);
    expect(first).toMatchObject({ author_id: bob.id, state: 'opened' });
    await fixture.followed(await fixture.publish(alert, wanted(), { actorId: bob.id }));
    expect(await fixture.incidents(alert)).toEqual([first]);
    await fixture.here.db.query(sql`delete from issues where alert_id = ${alert.id}`);
    fixture.here.directory.user({ ...bob, state: 'blocked' });
    await fixture.followed(await fixture.publish(alert, wanted(), { actorId: bob.id }));
    const [second, ...others] = await fixture.incidents(alert);
    expect([second?.author_id, others]).toEqual([bot.id, []]);
    fixture.here.directory.user({ ...bob, state: 'active' });
    expect(await alertNotes(alert.id)).toEqual([
      [bot.id, 'raised this alert'],
      [bob.id, `opened incident #${first?.iid}`],
      [bot.id, `opened incident #${second?.iid}`],
    ]);
  });

  it('is named by its system notes', async () => {
    const { ada, bob, bot } = fixture;
    const alert = fixture.alert({ status: 'acknowledged' });
    await fixture.publish(alert, ended(false, Cause.CAUSE_USER), { actorId: ada.id });
    const assigned = { addedAssigneeIds: [bob.id], removedAssigneeIds: [ada.id] };
    await fixture.publish(alert, { $case: 'assigned', value: assigned }, { actorId: ada.id });
    alert.status = 'resolved';
    await fixture.followed(await fixture.publish(alert, ended(false, Cause.CAUSE_INCIDENT)));
    expect(await alertNotes(alert.id)).toEqual([
      [ada.id, 'changed the status to **Acknowledged**'],
      [ada.id, 'assigned to @bob and unassigned @ada'],
      [bot.id, 'changed the status to **Resolved** since its incident was closed'],
    ]);
  });
});

describe('notes on an alert', () => {
  const developer = () => fixture.here.as(fixture.bob, { id: fixture.project.id, level: 30 });
  const refOf = (iid: number) => ({
    projectId: fixture.project.id,
    target: { $case: 'alertIid' as const, value: iid },
  });

  it('are written, changed, listed with its system notes, and deleted', async () => {
    const { here, bob, bot } = fixture;
    const alert = fixture.alert();
    await fixture.followed(await fixture.publish(alert, raised()));
    const noteable = refOf(alert.iid);
    const made = json(
      await here.notes.createNote(CreateNoteRequest.fromPartial({ noteable, body: 'Looking' }), developer()),
    );
    expect(made).toMatchObject({
      body: 'Looking',
      author: { id: bob.id },
      noteable_type: 'AlertManagement::Alert',
      noteable_id: alert.id,
      noteable_iid: alert.iid,
      system: false,
      resolvable: false,
    });
    const update = { noteable, noteId: made.id, body: 'Looked', confidential: undefined };
    expect(json(await here.notes.updateNote(update, developer())).body).toBe('Looked');
    const list = async () =>
      json(
        await here.notes.listNotes({ noteable, activityFilter: '', page: pageOf({ descending: false }) }, developer()),
      );
    expect((await list()).map((note: Item) => [note.system, note.author.username, note.body])).toEqual([
      [true, bot.username, 'raised this alert'],
      [true, bot.username, expect.stringMatching(/^opened incident #\d+$/)],
      [false, 'bob', 'Looked'],
    ]);
    await here.notes.deleteNote({ noteable, noteId: made.id, ifUnmodifiedSince: undefined }, developer());
    expect(await list()).toHaveLength(2);
    alert.hiddenFrom = [bob.id];
    await expect(list()).rejects.toMatchObject({ kind: 'not_found', body: { message: '404 Alert Not Found' } });
    await expect(
      here.notes.listNotes({ noteable: refOf(999), activityFilter: '', page: pageOf() }, developer()),
    ).rejects.toMatchObject({ body: { message: '404 Alert Not Found' } });
  });
});

describe('to-dos on an alert', () => {
  const todosOf = async (user: DirectoryUser): Promise<Item[]> =>
    json(
      await fixture.here.todos.listTodos(
        { filter: TodoFilter.fromPartial({ targetType: 'AlertManagement::Alert' }), page: pageOf() },
        fixture.here.as(user),
      ),
    );
  const about = async (user: DirectoryUser, alert: { id: number }) =>
    (await todosOf(user)).filter(({ target }) => target.id === alert.id);

  it('are made by hand once, and by assignment, and done when their user acts', async () => {
    const { here, ada, bob, eve, project } = fixture;
    const alert = fixture.alert({ title: 'Slow' });
    await fixture.publish(alert, raised({ openIncident: false }));
    const mark = () =>
      here.todos.createAlertTodo(
        { projectId: project.id, alertIid: alert.iid },
        here.as(bob, { id: project.id, level: 30 }),
      );
    expect(json(await mark())).toMatchObject({
      action_name: 'marked',
      target_type: 'AlertManagement::Alert',
      target: { id: alert.id, status: 'triggered' },
      target_url: `https://code.example/p/-/alert_management/${alert.iid}/details`,
      body: 'Slow',
      state: 'pending',
      project: { id: project.id },
    });
    expect((await mark()).status).toBe(304);
    // A Reporter does not see alerts, whoever assigns them.
    const assigned = { addedAssigneeIds: [ada.id, eve.id], removedAssigneeIds: [] };
    await fixture.publish(alert, { $case: 'assigned', value: assigned }, { actorId: bob.id });
    await eventually(async () => {
      expect(await about(bob, alert)).toEqual([]);
      expect(await about(ada, alert)).toMatchObject([{ action_name: 'assigned', author: { id: bob.id } }]);
    });
    expect(await here.db.query(sql`select 1 from todos where user_id = ${eve.id}`)).toEqual([]);
    await fixture.publish({ ...alert, status: 'acknowledged' }, ended(false, Cause.CAUSE_USER), { actorId: ada.id });
    await eventually(async () => expect(await about(ada, alert)).toEqual([]));
  });

  it('come from mentions in its notes, are listed by one call, and go with the access', async () => {
    const { here, ada, bob, eve, project } = fixture;
    const alerts = [fixture.alert(), fixture.alert()];
    for (const { iid } of alerts) {
      const noteable = { projectId: project.id, target: { $case: 'alertIid' as const, value: iid } };
      const body = 'what does @ada say, and @eve?';
      await here.notes.createNote(
        CreateNoteRequest.fromPartial({ noteable, body }),
        here.as(bob, { id: project.id, level: 30 }),
      );
    }
    await eventually(async () => {
      const found = await Promise.all(alerts.map((alert) => about(ada, alert)));
      expect(found.flat()).toMatchObject([
        { action_name: 'mentioned', author: { id: bob.id }, body: 'what does @ada say, and @eve?' },
        { action_name: 'mentioned' },
      ]);
    });
    expect(await here.db.query(sql`select 1 from todos where user_id = ${eve.id}`)).toEqual([]);
    here.targetCalls.length = 0;
    await todosOf(ada);
    expect(here.targetCalls).toEqual(['alerts.batchGet']);
    const membership = [...here.directory.memberships.values()].find(({ userId }) => userId === ada.id);
    here.directory.write({ $case: 'membership', value: { ...membership!, accessLevel: 20 } });
    expect(await todosOf(ada)).toEqual([]);
    here.directory.write({ $case: 'membership', value: membership! });
    expect(await todosOf(ada)).not.toEqual([]);
    const settings = DirectoryProjectSettings.fromPartial({ monitorAccessLevel: 'disabled' });
    here.directory.write({ $case: 'project', value: { ...project, settings } });
    expect(await todosOf(ada)).toEqual([]);
    here.directory.write({ $case: 'project', value: project });
    expect(await todosOf(ada)).not.toEqual([]);
  });
});

test('alerts of deleted projects are forgotten', async () => {
  const { db, directory } = fixture.here;
  const group = directory.namespace();
  const project = directory.project(group.id);
  const alert = fixture.alert({ projectId: project.id });
  await fixture.followed(await fixture.publish(alert, raised()));
  directory.write({ $case: 'project', value: project }, true);
  await eventually(async () =>
    expect(
      await db.query(sql`select 1 from directory.projects where id = ${project.id} and deleted_at is not null`),
    ).toHaveLength(1),
  );
  await fixture.here.stopHere();
  await fixture.here.startHere();
  await eventually(async () => {
    expect(await db.query(sql`select 1 from followed_alerts where alert_id = ${alert.id}`)).toEqual([]);
    expect(await fixture.incidents(alert)).toEqual([]);
  });
});
