import { sql } from '@switchyard/database/sql';
import { integrationMailEvents, pipelineEvents, projectEvents } from '@switchyard/events';
import { CreateEpicRequest, DeleteEpicRequest, UpdateEpicRequest } from '@switchyard/protos/collaboration/v1/epic';
import { CreateIssueRequest, UpdateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import { CreateNoteRequest } from '@switchyard/protos/collaboration/v1/note';
import { IntegrationMailEvent } from '@switchyard/protos/groups_admin/events/v1/integration_mail_event';
import { ProjectEvent } from '@switchyard/protos/groups_admin/events/v1/project_event';
import type { DirectoryNamespace, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { PipelineEvent } from '@switchyard/protos/merge_requests/events/v1/pipeline_event';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { eventually } from '@switchyard/testkit';
import type { ParsedMail } from 'mailparser';
import { wakeMails } from '../../src/mail';
import { created } from '../support/installation';
import { type MailServer, startMailServer } from '../support/mail-server';
import { type Item, json, type NoteFixture, pageOf, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;
let server: MailServer;

beforeAll(async () => {
  server = await startMailServer();
  fixture = await startNoteFixture({ SMTP_URL: server.url, SMTP_FROM: 'forge@forge.example' });
});
afterAll(async () => {
  await fixture.here.close();
  await server.close();
});
beforeEach(async () => {
  await settled();
  server.arrived.length = 0;
  await fixture.here.db.query(sql`truncate notification_settings`);
});

/** Nothing waits any more: all that was to be sent has arrived. */
const settled = () =>
  eventually(async () => {
    const { db } = fixture.here;
    expect(
      await db.query(sql`select event_id from events.outbox o where o.type in ('issue.changed', 'epic.changed', 'note.changed') and not exists (
        select from events.inbox i where i.event_id = o.event_id and i.consumer_group = 'collaboration.notifications')`),
    ).toEqual([]);
    expect(await db.query(sql`select id from notification_events where state = 'waiting'`)).toEqual([]);
    expect(await db.query(sql`select id from mails where state = 'waiting'`)).toEqual([]);
  });

/** What waits to be sent is due, and is looked for at once. */
const waitsNoLonger = () =>
  fixture.here.db.transaction(async (tx) => {
    await tx.query(sql`update mails set due_at = now() - interval '1 second' where state = 'waiting'`);
    wakeMails(tx);
  });

const open = async (author: DirectoryUser, given: Partial<CreateIssueRequest> = {}): Promise<Item> =>
  json(
    await fixture.here.issues.createIssue(
      CreateIssueRequest.fromPartial({ projectId: fixture.project.id, title: 'Broken', ...given }),
      fixture.as(author),
    ),
  );

const comment = async (author: DirectoryUser, iid: number, body: string, internal = false): Promise<Item> =>
  json(
    await fixture.here.notes.createNote(
      CreateNoteRequest.fromPartial({
        noteable: { projectId: fixture.project.id, target: { $case: 'issueIid', value: iid } },
        body,
        internal,
      }),
      fixture.as(author),
    ),
  );

const ledger = (userId: number) =>
  fixture.here.db.query<{ event: string; decision: string; rule: string; detail: string }>(
    sql`select event, decision, rule, detail from ledger_entries where user_id = ${userId} and channel = 'mail' order by id desc limit 1`,
  );

const tokenIn = (mail: ParsedMail | undefined) => /unsubscribe\?token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';

const header = (mail: ParsedMail | undefined, name: string): string => String(mail?.headers.get(name) ?? '');

it('an issue and its comments are one thread in every mailbox, with text and HTML', async () => {
  const { ada, bob, project } = fixture;
  const issue = await open(ada, {
    title: 'Broken =?UTF-8?B?eA==?=',
    description: '**Look** at AB-12 <script>',
    assigneeIds: [bob.id],
  });
  const [first] = await server.mailsTo(bob.email);
  const note = await comment(ada, issue.iid, 'A *thought*, @bob');
  const [, second] = await server.mailsTo(bob.email, 2);

  const root = `<issue.${issue.id}@code.example>`;
  expect(first?.messageId).toBe(root);
  expect([second?.inReplyTo, second?.references]).toEqual([root, root]);
  expect(second?.subject).toBe(`Re: ${first?.subject}`);
  expect(server.arrived.map(({ to }) => to.text)).toEqual(Array(2).fill(`"${bob.name}" <${bob.email}>`));
  expect(header(first, 'x-switchyard-reason')).toBe('assigned');
  expect(header(second, 'x-switchyard-reason')).toBe('mentioned');
  expect(header(second, 'x-switchyard-project-id')).toBe(String(project.id));
  expect(first?.html).toContain('<strong>Look</strong>');
  expect(first?.html).toContain(`href="https://tracker.example/${project.id}/12"`);
  expect(first?.html).not.toContain('<script');
  expect(first?.text).toContain('**Look** at AB-12 <script>');
  expect(second?.html).toContain('<em>thought</em>');
  expect(second?.text).toContain(`#note_${note.id}`);
  const list = first?.headers.get('list') as Item;
  expect(list.id.id).toMatch(new RegExp(`^${project.id}\\..*code\\.example$`));
  expect(list.unsubscribe.url).toMatch(/\/-\/unsubscribe\?token=/);
  expect(first?.headerLines.find(({ key }) => key === 'list-unsubscribe-post')?.line).toMatch(
    /: List-Unsubscribe=One-Click$/,
  );
});

it('nobody gets mail about what they did, unless they want it, and nobody about what they may not read', async () => {
  const { ada, bob, eve, mallory, here } = fixture;
  const issue = await open(ada, { confidential: true, assigneeIds: [bob.id] });
  await server.mailsTo(bob.email);
  await comment(bob, issue.iid, '@eve @mallory look', true);
  await server.mailsTo(ada.email);
  await settled();
  expect([eve, mallory].flatMap(({ email }) => server.arrived.filter(({ to }) => to.text.includes(email)))).toEqual([]);
  expect(await ledger(bob.id)).toMatchObject([{ event: 'new_note', decision: 'skip', rule: 'own_activity' }]);
  expect(await ledger(eve.id)).toMatchObject([{ event: 'new_note', decision: 'skip', rule: 'access' }]);
  await here.settings.updateNotificationSettings(
    { projectId: 0, groupId: 0, events: {}, notifiedOfOwnActivity: true },
    fixture.as(bob),
  );
  await comment(bob, issue.iid, 'I said this');
  expect((await server.mailsTo(bob.email, 2)).at(-1)?.text).toContain('I said this');
});

it('levels and chosen addresses count along the groups (G-4.11-1, G-4.11-2)', async () => {
  const { ada, bob, eve, here, project } = fixture;
  const set = (user: DirectoryUser, place: { projectId?: number; groupId?: number }, given: object) =>
    here.settings.updateNotificationSettings(
      { projectId: 0, groupId: 0, events: {}, ...place, ...given },
      fixture.as(user),
    );
  await expect(set(bob, {}, { level: 'foo' })).rejects.toThrow("'foo' is not a valid level");
  await expect(set(bob, {}, { notificationEmail: 'x@x.example' })).rejects.toThrow(
    'must be an email you have verified',
  );
  const work = 'work@bob.example';
  here.directory.write({ $case: 'user', value: { ...bob, confirmedEmails: [bob.email, work] } });
  expect(json(await set(bob, { groupId: project.namespaceId }, { level: 'watch', notificationEmail: work }))).toEqual({
    level: 'watch',
    notification_email: work,
  });
  expect(json(await set(eve, {}, { level: 'custom', events: { new_issue: true } }))).toMatchObject({
    level: 'custom',
    events: { new_issue: true, new_note: false, failed_pipeline: true },
    notification_email: eve.email,
  });
  const issue = await open(ada);
  const [[watching], [chosen]] = await Promise.all([server.mailsTo(work), server.mailsTo(eve.email)]);
  expect([header(watching, 'x-switchyard-reason'), header(chosen, 'x-switchyard-reason')]).toEqual([
    'watching',
    'custom',
  ]);
  await set(bob, { projectId: project.id }, { level: 'disabled' });
  await comment(ada, issue.iid, 'more');
  await settled();
  expect(server.arrived).toHaveLength(2);
  expect(await ledger(bob.id)).toMatchObject([{ decision: 'skip', rule: 'level', detail: 'disabled (project)' }]);
  expect(await ledger(eve.id)).toMatchObject([{ decision: 'skip', rule: 'flag' }]);
});

it('a group whose mail is off silences what lies below it, and the ledger says so', async () => {
  const { ada, bob, here, project } = fixture;
  here.directory.changeNamespace(project.namespaceId, { emailsDisabled: true });
  const issue = await open(ada, { assigneeIds: [bob.id] });
  await eventually(async () =>
    expect(await ledger(bob.id)).toMatchObject([{ event: 'new_issue', decision: 'skip', rule: 'emails_disabled' }]),
  );
  here.directory.changeNamespace(project.namespaceId, { emailsDisabled: false });
  await comment(ada, issue.iid, 'loud again');
  expect(await server.mailsTo(bob.email)).toHaveLength(1);
});

it('the link in a mail ends the mails about an issue or merge request, whether the user takes part or not', async () => {
  const { ada, bob, here } = fixture;
  const issue = await open(ada, { assigneeIds: [bob.id] });
  const [mail] = await server.mailsTo(bob.email);
  const token = tokenIn(mail);
  await expect(
    here.unsubscriptions.unsubscribe({ token: token.replace(/^\d+/, '1') }, here.as(undefined)),
  ).rejects.toThrow('The link is invalid');
  for (let times = 0; times < 2; times++)
    expect(await here.unsubscriptions.unsubscribe({ token }, here.as(undefined))).toEqual({
      project: false,
      everything: false,
    });
  await comment(ada, issue.iid, 'no one hears');
  await settled();
  expect(await ledger(bob.id)).toMatchObject([{ decision: 'skip', rule: 'unsubscribed' }]);
  await comment(ada, issue.iid, 'but @bob does');
  expect(await server.mailsTo(bob.email, 2)).toHaveLength(2);

  const target = fixture.mergeRequest({ authorId: ada.id, assigneeIds: [bob.id], description: 'Changes' });
  await here.publish(target, created([bob.id]), { actorId: ada.id, mergeRequest: { authorId: ada.id } });
  const [, , opened] = await server.mailsTo(bob.email, 3);
  expect(opened?.text).toContain('Changes');
  await here.unsubscriptions.unsubscribe({ token: tokenIn(opened) }, here.as(undefined));
  expect(target.unsubscribedIds).toEqual([bob.id]);
});

it('a burst on one thing is one mail, checked once more when it is sent; a digest gathers a day', async () => {
  const { ada, bob, here } = fixture;
  await here.stopHere();
  const patient = { SWITCHYARD_MAIL_WINDOW: '60' };
  await here.startHere(patient);
  const issue = await open(ada, { assigneeIds: [bob.id] });
  await comment(ada, issue.iid, 'first');
  const gone = await comment(ada, issue.iid, 'second');
  await here.issues.updateIssue(
    UpdateIssueRequest.fromPartial({ projectId: fixture.project.id, iid: issue.iid, stateEvent: 'close' }),
    fixture.as(ada),
  );
  await eventually(async () =>
    expect(
      await here.db.query(sql`select count(*)::int as parts, count(distinct mail_id)::int as mails from mail_parts p
        join mails m on m.id = p.mail_id where m.user_id = ${bob.id} and m.state = 'waiting'`),
    ).toEqual([{ parts: 4, mails: 1 }]),
  );
  expect(server.arrived).toEqual([]);
  await here.db.query(sql`delete from notes where id = ${gone.id}`);
  await waitsNoLonger();
  const [mail] = await server.mailsTo(bob.email);
  expect(mail?.text).toContain('first');
  expect(mail?.text).not.toContain('second');
  expect(mail?.text).toMatch(/closed #\d+/);

  await here.settings.updateNotificationSettings(
    { projectId: 0, groupId: 0, events: {}, digest: 'daily' },
    fixture.as(bob),
  );
  const other = await open(ada, { title: 'Another', assigneeIds: [bob.id] });
  await comment(ada, issue.iid, 'in the digest');
  await eventually(async () =>
    expect(
      await here.db.query(sql`select count(*)::int as parts from mail_parts p join mails m on m.id = p.mail_id
        where m.user_id = ${bob.id} and m.thread = 'digest' and m.state = 'waiting' and m.due_at > now()`),
    ).toEqual([{ parts: 2 }]),
  );
  await waitsNoLonger();
  const [, digest] = await server.mailsTo(bob.email, 2);
  expect(digest?.text).toContain(`Another (#${other.iid})`);
  expect(digest?.text).toContain('in the digest');
  expect(header(digest, 'x-switchyard-reason')).toBe('digest');
  const endings = digest?.headers.get('list') as Item;
  expect(endings.unsubscribe.url).toContain(`?token=${tokenIn(digest)}`);
  expect(digest?.headerLines.map(({ key }) => key)).toContain('list-unsubscribe-post');
  // What waits for the next digest is not sent either.
  await comment(ada, issue.iid, 'for tomorrow');
  const held = sql`select state, last_error from mails where user_id = ${bob.id} order by id desc limit 1`;
  await eventually(async () => expect(await here.db.query(held)).toEqual([{ state: 'waiting', last_error: null }]));
  const ended = await here.unsubscriptions.unsubscribe({ token: tokenIn(digest) }, here.as(undefined));
  expect(ended).toEqual({ project: false, everything: true });
  await waitsNoLonger();
  await eventually(async () =>
    expect(await here.db.query(held)).toEqual([{ state: 'dropped', last_error: 'stopped' }]),
  );
  await comment(ada, issue.iid, 'and @bob hears nothing');
  await eventually(async () => expect(await ledger(bob.id)).toMatchObject([{ decision: 'skip', rule: 'stopped' }]));

  // What was decided to be sent is not, where its reader switches it off while it waits.
  const setting = { projectId: 0, groupId: 0, events: {} };
  await here.settings.updateNotificationSettings({ ...setting, digest: 'none' }, fixture.as(bob));
  await comment(ada, issue.iid, 'too late');
  const waiting = () => here.db.query(sql`select id from mails where user_id = ${bob.id} and state = 'waiting'`);
  await eventually(async () => expect(await waiting()).toHaveLength(1));
  const off = { ...setting, projectId: fixture.project.id, level: 'disabled' };
  await here.settings.updateNotificationSettings(off, fixture.as(bob));
  await waitsNoLonger();
  await eventually(async () =>
    expect(
      await here.db.query(sql`select state, last_error from mails where user_id = ${bob.id} order by id desc limit 1`),
    ).toEqual([{ state: 'dropped', last_error: 'level' }]),
  );
  await here.stopHere();
  await here.startHere();
});

it('a server that goes away after it read a mail gets it once more under the same Message-ID; a refusal is final', async () => {
  const { ada, bob, here } = fixture;
  server.treatment = 'vanish';
  await open(ada, { assigneeIds: [bob.id] });
  await server.mailsTo(bob.email);
  await eventually(async () => {
    await here.db.query(
      sql`update mails set due_at = now() - interval '1 second' where state = 'waiting' and attempts = 1`,
    );
    expect(server.arrived).toHaveLength(2);
  });
  expect(server.arrived[0]?.messageId).toBe(server.arrived[1]?.messageId);
  server.treatment = 'refuse';
  await open(ada, { assigneeIds: [bob.id] });
  await eventually(async () =>
    expect(await here.db.query(sql`select state, last_error from mails order by id desc limit 1`)).toEqual([
      { state: 'dead', last_error: expect.stringContaining('550') },
    ]),
  );
  server.treatment = 'take';
});

it('issues that are due tomorrow, once; imported history is silent', async () => {
  const { ada, bob, here } = fixture;
  const issue = await open(ada, { assigneeIds: [bob.id] });
  await server.mailsTo(bob.email);
  const target = fixture.mergeRequest({ authorId: ada.id, assigneeIds: [bob.id] });
  await here.publish(target, created([bob.id]), { actorId: ada.id, imported: true });
  await here.db.query(sql`update issues set due_date = (now() at time zone 'UTC')::date + 1 where id = ${issue.id}`);
  await here.db.query(sql`delete from issue_due_days`);
  await here.stopHere();
  await here.startHere();
  const mails = await server.mailsTo(bob.email, 2);
  expect(mails[1]?.text).toContain(`#${issue.iid} is due on`);
  await here.stopHere();
  await here.startHere();
  await settled();
  expect(server.arrived.filter(({ text }) => text?.includes('is due on'))).toHaveLength(2);
});

it('the ledger says what was decided for whom, with webhooks beside it, and explains it in words', async () => {
  const { ada, bob, eve, here, project } = fixture;
  const issue = await open(ada, { title: 'Told', confidential: true, assigneeIds: [bob.id] });
  await server.mailsTo(bob.email);
  await comment(ada, issue.iid, '@eve look', true);
  await settled();
  const path = `${here.directory.namespaces.get(project.namespaceId)?.fullPath}/${project.path}#${issue.iid}`;
  const page = pageOf();
  const own = async (user: DirectoryUser, target: string): Promise<Item[]> =>
    json(
      await here.ledger.listOwnEntries(
        { page, target, createdAfter: undefined, createdBefore: undefined },
        fixture.as(user),
      ),
    );
  expect((await own(bob, path)).map(({ channel, event, rule, fate }) => [channel, event, rule, fate])).toEqual(
    expect.arrayContaining([
      ['mail', 'new_issue', 'participation', 'sent'],
      ['todo', 'assigned', 'assigned', 'shown'],
      ['mail', 'new_note', 'participation', 'sent'],
    ]),
  );
  expect(await own(bob, `Issue:${issue.id}`)).toEqual(await own(bob, path));
  // That she was not told would say that there is something.
  expect(await own(eve, `Issue:${issue.id}`)).toEqual([]);
  await expect(own(bob, 'nonsense')).rejects.toThrow('target is invalid');

  const explained = json(await here.ledger.explainOwn({ target: path }, fixture.as(bob)));
  expect(explained.summary).toMatch(/^You got a .* because/);
  expect(json(await here.ledger.explainOwn({ target: path }, fixture.as(eve))).summary).toMatch(
    /^Nothing about this was decided/,
  );
  const forUser = async (user: string) =>
    json(await here.ledger.explainForUser({ projectId: project.id, target: `#${issue.iid}`, user }, fixture.as(ada)));
  expect((await forUser('eve')).explanations.map(({ text }: Item) => text)).toContain(
    `${eve.name} got no mail about new_note, because what it is about could not be read at that time.`,
  );
  expect(await forUser(String(eve.id))).toEqual(await forUser('EVE'));
  await expect(forUser('nobody')).rejects.toThrow('404 User Not Found');

  here.deliveries.push({
    id: 9,
    createdAt: new Date(),
    event: 'issue',
    action: 'open',
    objectKey: `issue:${issue.id}`,
    target: 'Told',
    receiverKind: 'project_hook',
    receiverId: 12,
    receiver: 'hook:12',
    decision: 'queued',
    rule: 'event_switch',
    fate: 'sent',
    attempts: 1,
    responseStatus: 200,
    error: '',
  });
  const all: Item[] = [];
  for (let cursor = ''; all.length < 1_000; ) {
    const reply = await here.ledger.listProjectEntries(
      { projectId: project.id, target: `#${issue.iid}`, page: pageOf({ keyset: true, perPage: 2, cursor }) },
      fixture.as(ada),
    );
    all.push(...json(reply));
    cursor = reply.page?.nextCursor ?? '';
    if (cursor === '') break;
  }
  const byNumber = json(
    await here.ledger.listProjectEntries({ projectId: project.id, target: `#${issue.iid}`, page }, fixture.as(ada)),
  );
  expect(all).toEqual(byNumber);
  expect(all[0]).toMatchObject({ channel: 'webhook', receiver: 'project_hook:12', response_status: 200, fate: 'sent' });
  expect(all.map(({ user, channel, rule }) => [user?.username, channel, rule])).toEqual(
    expect.arrayContaining([
      ['eve', 'mail', 'access'],
      ['eve', 'todo', 'access'],
      ['bob', 'mail', 'participation'],
      ['ada', 'mail', 'own_activity'],
    ]),
  );
});

it('what an integration mails goes to each address once, and what is no address stops no other (G-6-10)', async () => {
  const { here, project } = fixture;
  const mailed = (given: Partial<IntegrationMailEvent>, id: string) =>
    here.publishEvent(
      integrationMailEvents,
      IntegrationMailEvent.fromPartial({
        integrationId: 4,
        projectId: project.id,
        subject: 'Push',
        text: 'Two',
        ...given,
      }),
      `integration_mail:${id}:integration:4`,
    );
  const recipients = [
    'one@out.example',
    'no address',
    'One@out.example',
    'two@out.example\r\nBcc: x',
    'three@out.example',
  ];
  await mailed({ recipients, thread: 'push-main' }, 'push:7#0');
  const [first] = await server.mailsTo('One@out.example');
  await server.mailsTo('three@out.example');
  await mailed({ recipients, text: 'Again' }, 'push:7#0');
  await mailed({ recipients: ['last@out.example'] }, 'push:8#0');
  await server.mailsTo('last@out.example');
  await settled();
  expect(server.arrived.map(({ to }) => to.text).sort()).toEqual([
    'One@out.example',
    'last@out.example',
    'three@out.example',
  ]);
  expect([first?.subject, first?.text?.trim(), first?.references]).toEqual(['Push', 'Two', '<push-main@code.example>']);
  expect(
    await here.db.query(sql`select detail from ledger_entries where event = 'integration_mail'
      and project_id = ${project.id} and rule = 'invalid_address' order by id`),
  ).toEqual([{ detail: 'no address' }, { detail: 'two@out.example\r\nBcc: x' }]);
});

it('a pipeline of a branch is mailed to its owner: failed, then fixed, and not by an older one (G-4.11-3)', async () => {
  const { here, project, ada } = fixture;
  const ended = (pipelineId: number, status: string, version: number) =>
    here.publishEvent(
      pipelineEvents,
      PipelineEvent.fromPartial({
        pipelineId,
        projectId: project.id,
        actorId: ada.id,
        pipeline: { iid: pipelineId, ref: 'main', userId: ada.id, status, sha: 'a'.repeat(40) },
        fact: { $case: 'statusChanged', value: { oldStatus: 'running' } },
      }),
      `pipeline.statusChanged:${pipelineId}:${version}`,
    );
  const decided = () =>
    here.db.query(sql`select event, decision, target_id::int as id from ledger_entries
      where target_type = 'Pipeline' and channel = 'mail' and user_id = ${ada.id} order by id`);
  await ended(9002, 'failed', 1);
  await ended(9002, 'failed', 1);
  await eventually(async () => expect(await decided()).toHaveLength(1));
  await ended(9001, 'success', 1);
  await eventually(async () => expect(await decided()).toHaveLength(2));
  await ended(9003, 'success', 1);
  await eventually(async () =>
    expect(await decided()).toEqual([
      { event: 'success_pipeline', decision: 'skip', id: 9001 },
      { event: 'failed_pipeline', decision: 'send', id: 9002 },
      { event: 'fixed_pipeline', decision: 'send', id: 9003 },
    ]),
  );
  const target = fixture.mergeRequest({ authorId: ada.id });
  await here.publish(target, { $case: 'pipelineFailed', value: { pipelineId: 9003, mergeUserId: 0 } } as never, {
    mergeRequest: { authorId: ada.id },
    cause: 9003,
  });
  await settled();
  expect(await decided()).toHaveLength(3);
});

it('members hear of the new path of a project, not of a new name', async () => {
  const { here, project, bob } = fixture;
  const path = `${here.directory.namespaces.get(project.namespaceId)?.fullPath}/${project.path}`;
  const renamed = (oldFullPath: string, sequence: number) =>
    here.publishEvent(
      projectEvents,
      ProjectEvent.fromPartial({ projectId: project.id, fact: { $case: 'renamed', value: { oldFullPath } } }),
      `project_renamed:${project.id}:${sequence}`,
    );
  await renamed(path, 901);
  await renamed('old/place', 902);
  const [mail] = await server.mailsTo(bob.email);
  expect(mail?.text).toContain(`The project old/place is now at ${path}.`);
  await settled();
  expect(server.arrived.filter(({ to }) => to.text.includes(bob.email))).toHaveLength(1);
});

describe('mail about epics', () => {
  let group: DirectoryNamespace;
  let sub: DirectoryNamespace;
  let alien: DirectoryNamespace;
  beforeAll(() => {
    const { here, project } = fixture;
    group = here.directory.namespaces.get(project.namespaceId) as DirectoryNamespace;
    sub = here.directory.namespace({ parentId: group.id });
    alien = here.directory.namespace();
  });

  const as = (user: DirectoryUser, level = 40, at = sub) =>
    fixture.here.as(user, { id: at.id, level, kind: Access_Kind.KIND_GROUP, tier: 'ultimate' });
  const plan = async (author: DirectoryUser, given: Partial<CreateEpicRequest> = {}): Promise<Item> =>
    json(
      await fixture.here.epics.createEpic(
        CreateEpicRequest.fromPartial({ groupId: sub.id, title: 'Plan', ...given }),
        as(author),
      ),
    );
  const edit = (author: DirectoryUser, { iid }: Item, given: Partial<UpdateEpicRequest>) =>
    fixture.here.epics.updateEpic(UpdateEpicRequest.fromPartial({ groupId: sub.id, iid, ...given }), as(author));
  const remove = (user: DirectoryUser, { iid }: Item) =>
    fixture.here.epics.deleteEpic(DeleteEpicRequest.fromPartial({ groupId: sub.id, iid }), as(user, 50));
  const say = async (author: DirectoryUser, { id }: Item, body: string, internal = false): Promise<Item> => {
    const noteable = { projectId: sub.id, target: { $case: 'epicId' as const, value: id } };
    const written = { noteable, body, internal, createdAt: undefined };
    return json(await fixture.here.notes.createNote(written, as(author)));
  };
  const set = (user: DirectoryUser, groupId: number, given: object) =>
    fixture.here.settings.updateNotificationSettings(
      { projectId: 0, groupId, events: {}, ...given },
      groupId === 0 ? fixture.as(user) : as(user, 10, groupId === sub.id ? sub : group),
    );

  it('an epic and its comments are one thread, to those whom levels and flags along the groups say', async () => {
    const { ada, bob, eve, mallory, here } = fixture;
    const work = 'plans@bob.example';
    here.directory.write({ $case: 'user', value: { ...bob, confirmedEmails: [bob.email, work] } });
    await set(bob, group.id, { level: 'custom', events: { new_epic: true }, notificationEmail: work });
    await set(eve, 0, { level: 'watch' });
    await set(mallory, 0, { level: 'watch' });
    const epic = await plan(ada, { title: 'Big plan', description: '**Look**' });
    const [[first], [watching]] = await Promise.all([server.mailsTo(work), server.mailsTo(eve.email)]);
    const note = await say(ada, epic, 'A *thought*, @bob');
    const [, second] = await server.mailsTo(work, 2);

    const root = `<epic.${epic.id}@code.example>`;
    expect([first?.messageId, second?.inReplyTo]).toEqual([root, root]);
    expect(first?.subject).toBe(`${sub.fullPath} | Big plan (&${epic.iid})`);
    expect(second?.subject).toBe(`Re: ${first?.subject}`);
    const url = `/groups/${sub.fullPath}/-/epics/${epic.iid}`;
    expect(first?.text).toContain(`opened &${epic.iid}:\n\n**Look**\n\n`);
    expect(first?.html).toContain('<strong>Look</strong>');
    expect(first?.text).toContain(url);
    expect(second?.text).toContain(`${url}#note_${note.id}`);
    expect([first, second, watching].map((mail) => header(mail, 'x-switchyard-reason'))).toEqual([
      'custom',
      'mentioned',
      'watching',
    ]);
    expect(header(first, 'x-switchyard-group-id')).toBe(String(sub.id));
    expect(header(first, 'x-switchyard-group-path')).toBe(sub.fullPath);
    expect(header(first, 'x-switchyard-epic-iid')).toBe(String(epic.iid));
    expect(first?.headers.has('x-switchyard-project-id')).toBe(false);
    const list = first?.headers.get('list') as Item;
    expect(list.id.id).toMatch(new RegExp(`^${sub.id}\\..*code\\.example$`));
    await settled();
    expect(server.arrived.some(({ to }) => to.text.includes(mallory.email))).toBe(false);

    // The level of the nearest group counts, and what has no flag is for those who take part or watch.
    await set(eve, sub.id, { level: 'disabled' });
    await say(bob, epic, 'Done');
    await edit(ada, epic, { stateEvent: 'close' });
    expect((await server.mailsTo(work, 3)).at(-1)?.text).toMatch(/closed &\d+\./);
    await settled();
    expect(server.arrived.filter(({ to }) => to.text.includes(eve.email))).toHaveLength(2);
    expect(await ledger(eve.id)).toMatchObject([{ event: 'close_epic', rule: 'level', detail: 'disabled (group)' }]);
  });

  it('a mention by an edit, internal notes and confidential epics reach those alone who may read them', async () => {
    const { ada, bob, eve } = fixture;
    const epic = await plan(ada);
    await edit(ada, epic, { description: 'Ask @bob and @eve' });
    const [[named]] = await Promise.all([server.mailsTo(bob.email), server.mailsTo(eve.email)]);
    expect(named?.text).toContain(`mentioned you in &${epic.iid}.`);
    await say(ada, epic, '@bob @eve quietly', true);
    expect((await server.mailsTo(bob.email, 2)).at(-1)?.text).toContain('quietly');
    await edit(ada, epic, { confidential: true });
    await say(ada, epic, '@eve and @bob');
    await server.mailsTo(bob.email, 3);
    await settled();
    expect(server.arrived.filter(({ to }) => to.text.includes(eve.email))).toHaveLength(1);
    expect(await ledger(eve.id)).toMatchObject([{ event: 'new_note', decision: 'skip', rule: 'access' }]);
  });

  it('waits in the digest, which asks for rights once more when it is sent', async () => {
    const { ada, bob, eve, here } = fixture;
    for (const user of [bob, eve]) await set(user, 0, { digest: 'daily', level: 'watch' });
    const [epic, secret] = [await plan(ada), await plan(ada, { title: 'Soon secret' })];
    await say(ada, epic, 'In between');
    await edit(ada, epic, { stateEvent: 'close' });
    const issue = await open(ada, { title: 'Beside' });
    await edit(ada, secret, { confidential: true });
    await eventually(async () =>
      expect(
        await here.db.query(sql`select count(*)::int as parts from mails m join mail_parts p on p.mail_id = m.id
          where m.thread = 'digest' and m.state = 'waiting' group by m.user_id`),
      ).toEqual([{ parts: 5 }, { parts: 5 }]),
    );
    await waitsNoLonger();
    const [[whole], [cut]] = await Promise.all([server.mailsTo(bob.email), server.mailsTo(eve.email)]);
    expect(whole?.subject).toBe('What happened in 2 projects and groups');
    expect(whole?.text).toMatch(/opened &\d+:.*In between.*closed &\d+/s);
    expect(whole?.text).toContain(`${sub.fullPath} | Plan (&${epic.iid})`);
    expect(whole?.text).toContain(`Beside (#${issue.iid})`);
    expect(whole?.text).toContain('Soon secret');
    expect(cut?.text).toContain(`${sub.fullPath} | Plan (&${epic.iid})`);
    expect(cut?.text).not.toContain(`/epics/${secret.iid}`);
  });

  it('is silenced by its group and those above, and by the link in a mail', async () => {
    const { ada, bob, here } = fixture;
    for (const silent of [sub, group]) {
      here.directory.changeNamespace(silent.id, { emailsDisabled: true });
      await plan(ada, { description: '@bob' });
      await eventually(async () =>
        expect(await ledger(bob.id)).toMatchObject([
          { event: 'new_epic', decision: 'skip', rule: 'emails_disabled', detail: silent.fullPath },
        ]),
      );
      here.directory.changeNamespace(silent.id, { emailsDisabled: false });
    }
    const epic = await plan(ada, { description: '@bob' });
    const [mail] = await server.mailsTo(bob.email);
    const list = mail?.headers.get('list') as Item;
    expect(list.unsubscribe.url).toContain(tokenIn(mail));
    for (let times = 0; times < 2; times++)
      expect(await here.unsubscriptions.unsubscribe({ token: tokenIn(mail) }, here.as(undefined))).toEqual({
        project: false,
        everything: false,
      });
    await say(ada, epic, 'no one hears');
    await settled();
    expect(await ledger(bob.id)).toMatchObject([{ decision: 'skip', rule: 'unsubscribed' }]);
    await say(ada, epic, 'but @bob does');
    expect(await server.mailsTo(bob.email, 2)).toHaveLength(2);
    // The link stays good, and does nothing, when the epic is gone.
    await remove(ada, epic);
    await here.unsubscriptions.unsubscribe({ token: tokenIn(mail) }, here.as(undefined));
  });

  it('is in the ledger of those who see the group, by id and by number', async () => {
    const { ada, bob, eve, here } = fixture;
    const epic = await plan(ada, { description: '@bob', confidential: true });
    await server.mailsTo(bob.email);
    await settled();
    const own = async (user: DirectoryUser, target: string): Promise<Item[]> => {
      const wanted = { page: pageOf(), target, createdAfter: undefined, createdBefore: undefined };
      return json(await here.ledger.listOwnEntries(wanted, fixture.as(user)));
    };
    const number = `${sub.fullPath}&${epic.iid}`;
    await eventually(async () =>
      expect(await own(bob, number)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ channel: 'mail', event: 'new_epic', rule: 'mention', group_id: sub.id }),
          expect.objectContaining({ channel: 'todo', target_type: 'Epic', target_id: epic.id, project_id: null }),
        ]),
      ),
    );
    expect(await own(bob, `Epic:${epic.id}`)).toEqual(await own(bob, number));
    expect(await own(eve, number)).toEqual([]);
    const explained = async (user: DirectoryUser, target = number) =>
      json(await here.ledger.explainOwn({ target }, fixture.as(user))).summary;
    expect(await explained(bob)).toMatch(/^You got a/);
    expect(await explained(bob, `${group.fullPath}&${epic.iid}`)).toMatch(/^Nothing/);
    expect(await explained(bob, 'no/group&1')).toMatch(/^Nothing/);
    const ofProject = { projectId: fixture.project.id, target: number, page: pageOf() };
    here.deliveries.length = 0;
    expect(json(await here.ledger.listProjectEntries(ofProject, fixture.as(ada)))).toEqual([]);
    await remove(ada, epic);
    expect(await own(bob, number)).not.toEqual([]);
    // Who does not see the group any more sees nothing of it.
    await here.db.query(sql`update ledger_entries set group_id = ${alien.id} where target_id = ${epic.id}`);
    expect(await own(bob, `Epic:${epic.id}`)).toEqual([]);
  });
});
