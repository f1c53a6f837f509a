import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { type Directory, labelsByTitles, writtenNames } from '@switchyard/directory';
import { issueEvents, publishStates } from '@switchyard/events';
import { eventually } from '@switchyard/testkit';
import { commandSteps } from '@switchyard/texts';
import { createIssue } from '../../src/issues/application/create-issue';
import type { IssueEdges } from '../../src/issues/application/issue.edges';
import type { IssueList, IssueStore } from '../../src/issues/application/issue.ports';
import { updateIssue } from '../../src/issues/application/update-issue';
import { decideDeletion } from '../../src/issues/domain/issue-change';
import { editIssue } from '../../src/issues/domain/issue-edit';
import { decideMove } from '../../src/issues/domain/issue-move';
import { issueStates } from '../../src/issues/storage/issue.events';
import { issueDirectoryStore } from '../../src/issues/storage/issue-directory.store';
import { issueHarness } from '../support/issue-harness';

const harness = issueHarness();
const {
  model,
  group,
  open,
  closedOff,
  author,
  assignee,
  guest,
  planner,
  outsider,
  root,
  asViewer,
  make,
  titles,
  published,
} = harness;
let db: Database;
let directory: Directory;
let issues: IssueStore;
let lists: IssueList;
let bug: { readonly id: number };
let feature: { readonly id: number };

beforeAll(async () => {
  ({ db, directory, issues, lists, bug, feature } = await harness.start());
});
afterAll(() => harness.stop());
beforeEach(() => harness.clear());

describe('issues in the database', () => {
  it('are numbered without gaps by creations that race; a number can be wished for once', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, () => make()));
    expect(made.map(({ iid }) => iid).sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    expect((await make({ iid: 100 })).iid).toBe(100);
    await expect(make({ iid: 100 })).rejects.toMatchObject({ kind: 'conflict' });
    await expect(make({ iid: 3 })).rejects.toMatchObject({ kind: 'conflict' });
    expect((await make()).iid).toBe(101);
  });

  it('republish their state at any time, as their last change published it', async () => {
    const { id } = await make({ assigneeIds: [assignee.id], labelIds: [bug.id, feature.id], confidential: true });
    await make();
    await issues.change(id, planner.id, (locked) =>
      editIssue(locked, { labelIds: [feature.id], stateEvent: 'close' }, planner.id, new Date()),
    );
    const lastOf = async () => (await published()).filter(({ event }) => event.issue?.id === id).at(-1);
    const changed = await lastOf();
    for (const more of [2, 4]) {
      expect(await publishStates({ db, event: issueEvents, read: issueStates })).toBe(2);
      expect((await published()).filter(({ event }) => event.fact === undefined)).toHaveLength(more);
    }
    expect((await lastOf())?.event).toMatchObject({ issue: changed?.event.issue, fact: undefined });
    expect(changed?.event.issue).toMatchObject({ state: 'closed', labelIds: [feature.id], confidential: true });
  });

  const remove = (id: number, unmodifiedSince?: Date) =>
    issues.change(id, root.id, (locked) => decideDeletion(locked, unmodifiedSince));

  const moveToClosedOff = (id: number, internal: boolean) =>
    issues.change(id, root.id, (locked) =>
      decideMove(
        locked,
        { projectId: closedOff.id, labelIds: [], milestoneId: undefined, readers: [] },
        { actorId: root.id, copy: { internal, rewritten: String }, now: new Date() },
      ),
    );

  it('publish each change once and in order', async () => {
    const { id } = await make({ assigneeIds: [assignee.id], labelIds: [bug.id], confidential: true });
    await issues.change(id, planner.id, (locked) =>
      editIssue(locked, { title: 'New', labelIds: [feature.id], stateEvent: 'close' }, planner.id, new Date()),
    );
    await issues.change(id, planner.id, (locked) => editIssue(locked, { title: 'New' }, planner.id, new Date()));
    await remove(id);
    const events = await published();
    expect(events.map((one) => one.id)).toEqual([
      `issue.created:${id}:1`,
      `issue.updated:${id}:1`,
      `issue.closed:${id}:1`,
      `issue.deleted:${id}:1`,
    ]);
    expect(events[0]?.event).toMatchObject({
      issue: { id, iid: 1, projectId: open.id, confidential: true, assigneeIds: [assignee.id], issueType: 'issue' },
      actorId: author.id,
      fact: { $case: 'created', value: { labelIds: [bug.id] } },
    });
    expect(events[1]?.event).toMatchObject({
      issue: { title: 'New' },
      actorId: planner.id,
      fact: {
        value: {
          changedFields: ['title', 'labels'],
          addedLabelIds: [feature.id],
          removedLabelIds: [bug.id],
          changes: [{ field: 'title', old: 'Issue', new: 'New' }],
        },
      },
    });
    await expect(issues.change(id, root.id, () => undefined)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('are from their first event on what their description commands, and keep the rest of the text', async () => {
    const clock = () => new Date('2026-01-01T00:00:00Z');
    const edges: IssueEdges = {
      issues,
      lists,
      directory: issueDirectoryStore(db),
      ensureLabels: async (_caller, projectId, titles) => labelsByTitles(db, projectId, titles),
      commandSteps: commandSteps({ names: writtenNames(db), clock }),
      clock,
    };
    const caller = { ...asViewer(planner), level: 15, tier: 'ultimate', requestId: 'r' };
    const iid = await createIssue(edges)(caller, {
      projectId: open.id,
      title: 'Leak',
      description:
        'Secret\n/confidential\n/label ~bug\n/unlabel ~feature\n/assign @assignee\n/due 2027-01-02\n/estimate 2h\n/spend 1h\n/todo\n/close',
      issueType: 'issue',
      confidential: false,
      assigneeIds: [author.id],
      labels: ['feature'],
      discussionLocked: false,
    });
    expect((await published()).map(({ event }) => event)).toMatchObject([
      {
        issue: { confidential: true, labelIds: [bug.id], assigneeIds: [author.id, assignee.id] },
        fact: { $case: 'created' },
      },
    ]);
    const key = { projectId: open.id, iid };
    const stored = async () => (await issues.view(key, asViewer(root)))?.issue;
    const update = (who: typeof caller, description: string) =>
      updateIssue(edges)(who, key, { addLabels: [], removeLabels: [], description });
    const times = { timeEstimate: 7_200, totalTimeSpent: 3_600 };
    expect(await stored()).toMatchObject({ description: 'Secret\n/todo\n/close', dueDate: '2027-01-02', ...times });
    await update(caller, '/title Found\n/relabel ~feature\n/spend 1h\n/close');
    expect((await published()).slice(1).map(({ event }) => event)).toMatchObject([
      { issue: { title: 'Found', labelIds: [feature.id] }, fact: { $case: 'updated' } },
      { fact: { $case: 'closed' } },
    ]);
    expect(await stored()).toMatchObject({ description: undefined, totalTimeSpent: 7_200 });
    // Assignees who do not manage issues command no more than they may set.
    await update({ ...caller, userId: assignee.id, level: 0 }, 'Mine\n/unlabel\n/title Theirs\n/reopen');
    expect(await stored()).toMatchObject({ title: 'Theirs', description: 'Mine', state: 'opened' });
    expect((await published()).at(-1)?.event).toMatchObject({ issue: { labelIds: [feature.id] } });
  });

  it('are refused to deletions of what changed meanwhile', async () => {
    const { id } = await make();
    const before = new Date(Date.now() - 60_000);
    await expect(remove(id, before)).rejects.toMatchObject({ kind: 'precondition_failed' });
    await remove(id, new Date(Date.now() + 60_000));
  });

  it('move once', async () => {
    const { id } = await make({ title: 'Mover' });
    const move = () => moveToClosedOff(id, true);
    const results = await Promise.allSettled([move(), move(), move()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await titles({ search: { words: ['mover'], title: true, description: false } })).toHaveLength(2);
    const view = await issues.view({ id }, asViewer(root));
    expect(view?.issue).toMatchObject({ state: 'closed', movedToId: expect.any(Number) });
    expect((await published()).map(({ event }) => event.fact?.$case)).toEqual([
      'created',
      'created',
      'moved',
      'closed',
    ]);
  });

  it.each([
    [true, ['open', 'secret'], 2],
    [false, ['open'], 1],
  ])('move with internal notes: %s', async (internal, bodies, count) => {
    const { id, projectId } = await make();
    await db.query(sql`
      with carrier as (
        insert into noteables (kind, project_id, target_id, user_notes_count) values ('Issue', ${projectId}, ${id}, 2) returning id)
      insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body, internal)
      select carrier.id, ${projectId}, substring(sha256(body::bytea) from 1 for 20), true, ${author.id}, body, body = 'secret'
      from carrier, unnest(array['open', 'secret']) as body`);
    const moved = await moveToClosedOff(id, internal);
    const copied = await db.query<{ body: string; count: number }>(sql`
      select n.body, c.user_notes_count as count from notes n join noteables c on c.id = n.noteable_id
      where c.kind = 'Issue' and c.target_id = ${moved.id} order by n.body`);
    expect(copied).toEqual(bodies.map((body) => ({ body, count })));
    expect((await issues.view({ id: moved.id }, asViewer(root)))?.issue.userNotesCount).toBe(count);
  });

  it('go with their project, and nothing of them is left', async () => {
    const doomed = model.project(group.id, { visibility: 'public' });
    await eventually(() => directory.ensure(model.changes.length));
    for (const projectId of [doomed.id, open.id]) {
      const { id, iid } = await make({ projectId, assigneeIds: [assignee.id], labelIds: [bug.id] });
      await db.query(sql`
        insert into award_emoji (awardable_type, awardable_id, name, user_id) values ('Issue', ${id}, 'star', ${root.id})`);
      await db.query(sql`
        insert into issue_merge_requests (merge_request_id, project_id, iid, merge_request_project_id, merge_request_iid, closes)
        values (${id}, ${projectId}, ${iid}, ${open.id}, 1, true), (${id}, ${open.id}, 77, ${projectId}, 1, true)`);
    }
    expect(await issues.removeOrphans(10)).toBe(0);
    model.removeProject(doomed.id);
    await eventually(() => directory.ensure(model.changes.length));
    while ((await issues.removeOrphans(1)) > 0);
    const left = async (table: string) => (await db.query(sql`select 1 from ${raw(table)}`)).length;
    for (const table of ['issues', 'iid_counters', 'award_emoji', 'issue_assignees', 'issue_labels'])
      expect([table, await left(table)]).toEqual([table, 1]);
    expect(await left('issue_participants')).toBe(2);
    expect(await left('issue_merge_requests')).toBe(2);
  });

  it('are subscribed to once, by those who say so and those who take part', async () => {
    const { id } = await make();
    const comment = (user: { id: number }, subscribed: boolean) => issues.setSubscription(id, user.id, subscribed);
    expect((await Promise.all(Array.from({ length: 8 }, () => comment(outsider, true)))).filter(Boolean)).toHaveLength(
      1,
    );
    expect([await comment(author, true), await comment(author, false), await comment(author, false)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(await issues.isSubscribed(id, author.id)).toBe(false);
    expect([await comment(author, true), await comment(guest, false)]).toEqual([true, false]);
  });
});
