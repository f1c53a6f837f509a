import { sql } from '@switchyard/database/sql';
import { CreateIssueRequest, UpdateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import type { DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { TimeTracking_Kind as Tracking } from '@switchyard/protos/rpc/v1/time_tracking';
import type { StoredTarget } from '../support/installation';
import { type Item, json, mergeRequestRef, type NoteFixture, pageOf, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;

beforeAll(async () => {
  fixture = await startNoteFixture();
});

afterAll(() => fixture.here.close());

describe('a command on a merge request', () => {
  const write = async (target: StoredTarget, body: string, user: DirectoryUser = fixture.bob): Promise<Item> => {
    const request = { noteable: mergeRequestRef(target), body, internal: false, createdAt: undefined };
    const reply = await fixture.here.notes.createNote(request, fixture.as(user));
    return { status: reply.status, ...json(reply) };
  };

  it('is carried out where it commands, by the owner’s rules, and is no note when it says nothing else (G-2-18)', async () => {
    const target = fixture.mergeRequest();
    expect(await write(target, '/close\n/todo')).toEqual({
      status: 202,
      commands_changes: { state_event: 'close', todo_event: 'add' },
      summary: ['Closed it.', 'Added a to-do item.'],
    });
    expect(fixture.here.edits.at(-1)).toMatchObject({
      iid: target.iid,
      stateEvent: 'close',
      userId: fixture.bob.id,
      strict: true,
    });
    const note = await write(target, 'Assigning.\n/assign @ada me\n/nonsense');
    expect(note).toMatchObject({
      status: 0,
      body: 'Assigning.\n/nonsense',
      commands_changes: { assignee_ids: [fixture.ada.id, fixture.bob.id] },
    });
    expect(fixture.here.edits.at(-1)).toMatchObject({
      addAssigneeIds: [fixture.ada.id, fixture.bob.id],
      assigneeIds: undefined,
    });
    expect(await write(target, '/draft')).toMatchObject({ commands_changes: { wip_event: 'draft' } });
    expect(fixture.here.edits.at(-1)).toMatchObject({ title: `Draft: ${target.title}` });
    const draft = fixture.mergeRequest({ title: 'Draft: [Draft] Change' });
    expect(await write(draft, '/draft')).toMatchObject({ commands_changes: { wip_event: 'draft' } });
    expect(fixture.here.edits.at(-1)).toMatchObject({ title: 'Draft: Change' });
    expect(await write(draft, '/ready')).toMatchObject({ commands_changes: { wip_event: 'ready' } });
    expect(fixture.here.edits.at(-1)).toMatchObject({ title: 'Change' });
    await fixture.here.db.query(sql`
      insert into directory.milestones (id, iid, project_id, title, state, created_at, updated_at)
      values (71, 1, ${fixture.project.id}, 'next one', 'active', now(), now())`);
    expect(await write(target, '/milestone %nothing\n/milestone %"next one"')).toEqual({
      status: 202,
      commands_changes: { milestone_id: 71 },
      summary: ['Could not apply milestone command.', 'Set the milestone to %"next one".'],
    });
    expect(fixture.here.edits.at(-1)).toMatchObject({ milestoneId: 71 });
    expect(await write(target, '/remove_milestone')).toMatchObject({ commands_changes: { milestone_id: null } });
    expect(fixture.here.edits.at(-1)).toMatchObject({ milestoneId: 0 });
    expect(await write(target, '/done')).toMatchObject({ status: 202 });
    expect(await write(target, '/estimate 3h\n/spend 30m\n/spend soon\n/remove_time_spent')).toEqual({
      status: 202,
      commands_changes: { time_estimate: 10_800, spend_time: { duration: 'reset' } },
      summary: [
        'Set the estimate to 3h.',
        'Added 30m of time spent.',
        'Could not apply spend command.',
        'Removed the time spent.',
      ],
    });
    expect(fixture.here.edits.slice(-3)).toMatchObject([
      { iid: target.iid, tracking: { kind: Tracking.KIND_ESTIMATE, duration: '3h' }, userId: fixture.bob.id },
      { tracking: { kind: Tracking.KIND_SPEND, duration: '30m' } },
      { tracking: { kind: Tracking.KIND_RESET_SPENT, duration: '' } },
    ]);
    expect(await write(target, '/spend 1h 2024-01-01\n/spent 1h 9000-01-01')).toEqual({
      status: 202,
      commands_changes: { spend_time: { duration: 3_600, spent_at: '2024-01-01' } },
      summary: ['Added 1h of time spent at 2024-01-01.', 'Could not apply spend command.'],
    });
    expect(fixture.here.edits.at(-1)).toMatchObject({
      tracking: { kind: Tracking.KIND_SPEND, duration: '1h', spentAt: '2024-01-01' },
    });
    expect(await write(target, '/approve\n/unapprove\n/request_changes')).toEqual({
      status: 202,
      commands_changes: { review: 'request_changes' },
      summary: ['Approved the merge request.', 'Took the approval of the merge request back.', 'Requested changes.'],
    });
    expect(fixture.here.edits.slice(-3)).toEqual(
      ['approve', 'unapprove', 'requested_changes'].map((review) => ({
        iid: target.iid,
        review,
        userId: fixture.bob.id,
      })),
    );
    expect(await write(target, '/label ~nope')).toMatchObject({
      status: 202,
      commands_changes: {},
      summary: ['Could not apply label command.'],
    });
    fixture.here.editsRefused = true;
    expect(await write(target, '/reopen')).toMatchObject({ summary: ['Could not apply reopen command.'] });
    expect(await write(target, '/approve')).toMatchObject({ summary: ['Could not apply approve command.'] });
    fixture.here.editsRefused = false;
    const request = { noteable: mergeRequestRef(target), activityFilter: '', page: pageOf() };
    expect(json(await fixture.here.notes.listNotes(request, fixture.as(fixture.bob)))).toMatchObject([
      { body: 'Assigning.\n/nonsense' },
    ]);
  });
});

describe('a command on an issue', () => {
  const open = async (author: DirectoryUser): Promise<Item> => {
    const wanted = CreateIssueRequest.fromPartial({
      projectId: fixture.project.id,
      title: 'Broken',
      description: 'Text',
    });
    return json(await fixture.here.issues.createIssue(wanted, fixture.as(author)));
  };
  const refOf = ({ iid }: Item) => ({
    projectId: fixture.project.id,
    target: { $case: 'issueIid' as const, value: iid as number },
  });
  const comment = async (issue: Item, body: string, user: DirectoryUser) => {
    const request = { noteable: refOf(issue), body, internal: false, createdAt: undefined };
    const reply = await fixture.here.notes.createNote(request, fixture.as(user));
    return { status: reply.status, ...json(reply) };
  };
  const edit = async ({ iid }: Item, given: object, user: DirectoryUser) =>
    json(
      await fixture.here.issues.updateIssue(
        UpdateIssueRequest.fromPartial({ projectId: fixture.project.id, iid, ...given }),
        fixture.as(user),
      ),
    );
  const read = async ({ iid }: Item) =>
    json(
      await fixture.here.issues.getIssue(
        { projectId: fixture.project.id, iid, renderHtml: false },
        fixture.as(fixture.ada),
      ),
    );
  const bodies = async (issue: Item) => {
    const request = { noteable: refOf(issue), activityFilter: 'only_comments', page: pageOf() };
    return json(await fixture.here.notes.listNotes(request, fixture.as(fixture.ada))).map(({ body }: Item) => body);
  };

  beforeAll(() =>
    fixture.here.db.query(sql`
      insert into directory.labels (id, project_id, namespace_id, title, color)
      values (81, ${fixture.project.id}, null, 'bug', '#ff0000')`),
  );

  it('that its writer may not give is said not to have been applied (G-2-18)', async () => {
    const issue = await open(fixture.eve);
    for (const command of [
      'label ~bug',
      'assign me',
      'due today',
      'remove_due_date',
      'lock',
      'spend 1h',
      'confidential',
    ])
      expect(await comment(issue, `/${command}`, fixture.eve)).toEqual({
        status: 202,
        commands_changes: {},
        summary: [`Could not apply ${command.split(' ')[0]} command.`],
      });
    expect(await comment(issue, `/assign @mallory\n/assign @ada @mallory\n/assign me`, fixture.bob)).toEqual({
      status: 202,
      commands_changes: { assignee_ids: [fixture.bob.id] },
      summary: ['Could not apply assign command.', 'Could not apply assign command.', 'Changed the assignees.'],
    });
    expect(await comment(issue, 'Over.\n/title Mine\n/lock\n/close', fixture.eve)).toMatchObject({
      body: 'Over.',
      commands_changes: { title: 'Mine', state_event: 'close' },
    });
    expect(await read(issue)).toMatchObject({
      title: 'Mine',
      state: 'closed',
      labels: [],
      assignees: [{ username: 'bob' }],
      due_date: null,
      confidential: false,
      discussion_locked: null,
    });
  });

  it('is text in code of HTML', async () => {
    const issue = await open(fixture.bob);
    const body = 'It says:\n<pre>\n/close\n</pre>';
    expect(await comment(issue, body, fixture.bob)).toMatchObject({ body, commands_changes: {} });
    expect(await edit(issue, { description: body }, fixture.bob)).toMatchObject({ description: body, state: 'opened' });
    expect(await comment(issue, `${body}\n/close`, fixture.bob)).toMatchObject({
      body,
      commands_changes: { state_event: 'close' },
    });
  });

  it('adds and takes away people beside others that do so at the same time', async () => {
    const { ada, bob, eve } = fixture;
    for (let round = 0; round < 3; round += 1) {
      const issue = await open(ada);
      await Promise.all([
        comment(issue, '/assign me', ada),
        comment(issue, '/assign me', bob),
        comment(issue, '/assign @eve', bob),
      ]);
      const assigned = (await read(issue)).assignees.map(({ id }: Item) => id);
      expect(assigned.sort()).toEqual([ada.id, bob.id, eve.id].sort());
      await Promise.all([
        comment(issue, '/unassign me', ada),
        comment(issue, '/unassign @eve @bob\n/assign @bob', bob),
      ]);
      expect(await read(issue)).toMatchObject({ assignees: [{ id: bob.id }] });
    }
    const issue = await open(ada);
    const described = await edit(issue, { description: '/assign @ada @eve\n/unassign @eve\n/assign me' }, bob);
    expect(described.assignees.map(({ id }: Item) => id)).toEqual([ada.id, bob.id]);
    expect(await comment(issue, '/reassign @eve\n/assign @ada', bob)).toMatchObject({
      commands_changes: { assignee_ids: [eve.id, ada.id] },
    });
    expect((await read(issue)).assignees.map(({ id }: Item) => id)).toEqual([eve.id, ada.id]);
  });

  it('that would have hidden what it comes with, and cannot, takes that along', async () => {
    const issue = await open(fixture.eve);
    const secret = 'The password is x.\n/title Password\n/confidential';
    const refused = { kind: 'forbidden', body: { message: '403 Forbidden - Could not apply confidential command.' } };
    await expect(comment(issue, secret, fixture.eve)).rejects.toMatchObject(refused);
    const request = {
      noteable: refOf(issue),
      body: secret,
      internal: false,
      createdAt: undefined,
      position: undefined,
    };
    await expect(fixture.here.discussions.createDiscussion(request, fixture.as(fixture.eve))).rejects.toMatchObject(
      refused,
    );
    await expect(edit(issue, { description: secret }, fixture.eve)).rejects.toMatchObject(refused);
    expect(await read(issue)).toMatchObject({ title: 'Broken', description: 'Text', confidential: false });
    expect(await bodies(issue)).toEqual([]);

    expect(await comment(issue, 'Hush.\n/confidential', fixture.bob)).toMatchObject({
      body: 'Hush.',
      commands_changes: { confidential: true },
    });
    expect(await comment(issue, 'So it was.\n/confidential', fixture.eve)).toMatchObject({ body: 'So it was.' });
    expect(await edit(issue, { description: secret }, fixture.eve)).toMatchObject({
      description: 'The password is x.',
      title: 'Password',
      confidential: true,
    });
    expect(await bodies(issue)).toEqual(['So it was.', 'Hush.']);
  });
});
