import { sql } from '@switchyard/database/sql';
import { issueEventId, issueEvents, mergeRequestEvents, noteEvents } from '@switchyard/events';
import { IssueCreated, IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import type { DirectoryProject } from '@switchyard/protos/groups_admin/v1/directory';
import { MergeRequestEvent } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { eventually } from '@switchyard/testkit';
import { noteableId } from '../../src/noteables/storage/noteable.store';
import { causedVisibly } from '../../src/notes/storage/caused-note.visibility';
import { created, type StoredTarget, updated } from '../support/installation';
import { json, mergeRequestRef, type NoteFixture, pageOf, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;
let secret: DirectoryProject;
let events = 0;

beforeAll(async () => {
  fixture = await startNoteFixture();
  const { directory } = fixture.here;
  const hidden = directory.namespace({ fullPath: 'hidden', path: 'hidden' });
  secret = directory.project(hidden.id, { path: 'plans', name: 'Plans' });
  directory.member(fixture.ada.id, { projectId: secret.id }, 30);
});

afterAll(() => fixture.here.close());

beforeEach(async () => {
  const { db } = fixture.here;
  await eventually(() => db.query(sql`truncate notes, noteables, issues, merge_request_numbers, events.inbox cascade`));
});

const received = (id: string) =>
  eventually(async () => {
    const rows = await fixture.here.db.query(
      sql`select 1 from events.inbox where event_id = ${id} and consumer_group = 'collaboration.references'`,
    );
    expect(rows).toHaveLength(1);
  });

async function issue(projectId: number, iid: number, description = '', given: { confidential?: boolean } = {}) {
  const [row] = await fixture.here.db.query<{ id: number }>(sql`
    insert into issues (iid, project_id, author_id, title, description, confidential)
    values (${iid}, ${projectId}, ${fixture.ada.id}, 'Broken', ${description}, ${given.confidential ?? false}) returning id`);
  return { id: row?.id ?? 0, iid, projectId };
}

async function publishIssue(of: { id: number; iid: number; projectId: number }, actorId = fixture.ada.id) {
  events += 1;
  const payload = IssueEvent.fromPartial({
    issue: { ...of, authorId: fixture.ada.id, title: 'Broken' },
    actorId,
    occurredAt: new Date(),
    directorySequence: fixture.here.directory.changes.length,
    fact: { $case: 'updated', value: { changedFields: ['description'] } } as never,
  });
  await received(await fixture.here.publishEvent(issueEvents, payload, `issue:${events}`));
}

const references = (
  mentioned: { path: string; iid: number }[],
  mergeRequests: { path: string; iid: number }[] = [],
) => ({
  closing: [],
  mentioned,
  mergeRequests,
  epics: [],
});

const published = async (): Promise<StoredTarget> => {
  const target = fixture.mergeRequest();
  await received(await fixture.here.publish(target, created(), { actorId: fixture.ada.id }));
  return target;
};

/** System notes on a merge request as somebody reads them, in both lists, which agree. */
async function read(target: StoredTarget, who = fixture.ada): Promise<string[]> {
  const noteable = mergeRequestRef(target);
  const notes = await fixture.here.notes.listNotes({ noteable, activityFilter: '', page: pageOf() }, fixture.as(who));
  const discussions = await fixture.here.discussions.listDiscussions({ noteable, page: pageOf() }, fixture.as(who));
  const bodies = json(notes).map((note: { body: string }) => note.body);
  expect(notes.page?.total).toBe(bodies.length);
  expect(discussions.page?.total).toBe(bodies.length);
  return bodies.sort();
}

describe('what names another object', () => {
  it('leaves a note there, once for each pair, whatever names it', async () => {
    const { here, project, ada, eve } = fixture;
    const [first, second] = [await published(), await published()];
    const third = await issue(project.id, 3, `see !${first.iid} and \`!${second.iid}\`, #3, !999`);
    await publishIssue(third);
    await publishIssue(third);
    const naming = updated();
    if (naming.$case === 'updated')
      naming.value.issueReferences = references([{ path: '', iid: 3 }], [{ path: '', iid: first.iid }]);
    await received(await here.publish(second, naming, { actorId: ada.id, cause: 2 }));
    expect(await read(first)).toEqual([`mentioned in issue #3`, `mentioned in merge request !${second.iid}`].sort());
    expect(await read(second)).toEqual([]);
    const onIssue = await here.db.query(sql`
      select n.body, n.system from notes n join noteables o on o.id = n.noteable_id where o.kind = 'Issue' and n.action = 'cross_reference'`);
    expect(onIssue).toEqual([{ body: `mentioned in merge request !${second.iid}`, system: true }]);
    // The reference of a user who may not read the merge request makes no note on it.
    await eventually(() => here.db.query(sql`truncate notes, noteables cascade`));
    await publishIssue(third, eve.id);
    expect(await here.db.query(sql`select 1 from notes where action = 'cross_reference'`)).toEqual([]);
  });

  it('leaves none where it was imported (D6)', async () => {
    const { here, project, ada } = fixture;
    const { id } = await issue(project.id, 3);
    const [naming, issueReferences] = [created(), references([{ path: '', iid: 3 }])];
    if (naming.$case === 'created') naming.value.issueReferences = issueReferences;
    const target = fixture.mergeRequest();
    await received(await here.publish(target, naming, { actorId: ada.id, imported: true }));
    const refreshed = MergeRequestEvent.fromPartial({
      ...{
        mergeRequest: { id: target.id, iid: target.iid, projectId: project.id },
        actorId: ada.id,
        imported: true,
        issueReferences,
      },
      directorySequence: here.directory.changes.length,
    });
    await received(await here.publishEvent(mergeRequestEvents, refreshed, `merge_request.changed:refreshed:${id}:2`));
    expect(await here.db.query(sql`select 1 from notes`)).toEqual([]);
  });

  it('is not visible to users who may not read it', async () => {
    const { here, ada, bob, project } = fixture;
    const target = await published();
    const path = here.directory.namespaces.get(project.namespaceId)?.fullPath;
    const plan = await issue(secret.id, 7, `${path}/${project.path}!${target.iid}`);
    await publishIssue(plan);
    expect(await read(target)).toEqual(['mentioned in issue hidden/plans#7']);
    expect(await read(target, bob)).toEqual([]);
    const [note] = await here.db.query<{ id: number; discussion: string }>(
      sql`select id, encode(discussion_id, 'hex') as discussion from notes where action = 'cross_reference'`,
    );
    const ref = { noteable: mergeRequestRef(target), noteId: note?.id ?? 0 };
    await expect(here.notes.getNote(ref, fixture.as(bob))).rejects.toMatchObject({ kind: 'not_found' });
    expect(json(await here.notes.getNote(ref, fixture.as(ada)))).toMatchObject({ system: true });
    const discussion = { noteable: mergeRequestRef(target), discussionId: note?.discussion ?? '' };
    await expect(here.discussions.getDiscussion(discussion, fixture.as(bob))).rejects.toMatchObject({
      kind: 'not_found',
    });
    for (const [who, kind] of [[bob, 'not_found'] as const, [ada, 'forbidden'] as const]) {
      const removals = [
        here.notes.deleteNote({ ...ref, ifUnmodifiedSince: undefined }, fixture.as(who)),
        here.discussions.deleteDiscussionNote({ ...ref, ...discussion, ifUnmodifiedSince: undefined }, fixture.as(who)),
      ];
      for (const refused of await Promise.allSettled(removals))
        expect(refused).toMatchObject({ status: 'rejected', reason: { kind } });
    }
    // To the last word as one that is not there.
    const { body } = await here.notes
      .deleteNote({ ...ref, noteId: 999_999, ifUnmodifiedSince: undefined }, fixture.as(bob))
      .catch((error) => error);
    await expect(
      here.notes.deleteNote({ ...ref, ifUnmodifiedSince: undefined }, fixture.as(bob)),
    ).rejects.toMatchObject({
      body,
    });

    const confidential = await issue(project.id, 9, `!${target.iid}`, { confidential: true });
    await publishIssue(confidential);
    expect(await read(target)).toHaveLength(2);
    await here.db.query(sql`delete from issues where id = ${confidential.id}`);
    expect(await read(target)).toHaveLength(1);
  });

  it('is where an issue moved to and from, noted on both sides', async () => {
    const { here, ada, bob, project } = fixture;
    const path = `${here.directory.namespaces.get(project.namespaceId)?.fullPath}/${project.path}`;
    const [old, moved] = [await issue(project.id, 5), await issue(secret.id, 6)];
    const publish = (of: typeof old, fact: NonNullable<IssueEvent['fact']>) =>
      here.publishEvent(
        issueEvents,
        IssueEvent.fromPartial({ issue: of, actorId: ada.id, directorySequence: here.directory.changes.length, fact }),
        issueEventId(fact.$case, of.id, 1),
      );
    await publish(moved, { $case: 'created', value: IssueCreated.fromPartial({ movedFromId: old.id }) });
    await publish(old, {
      $case: 'moved',
      value: { toIssueId: moved.id, toIssueIid: moved.iid, toProjectId: moved.projectId },
    });
    const seen = async (of: typeof old, who: typeof ada) => {
      const key = { kind: 'Issue' as const, projectId: of.projectId, targetId: of.id, sha: '' };
      const rows = await here.db.query<{ body: string }>(sql`
        select n.body from notes n where n.noteable_id = ${noteableId(key)}
          and ${causedVisibly(key, { userId: who.id, admin: false, external: false })}`);
      return rows.map(({ body }) => body);
    };
    await eventually(async () => expect(await seen(old, ada)).toEqual(['moved to hidden/plans#6']));
    await eventually(async () => expect(await seen(moved, ada)).toEqual([`moved from ${path}#5`]));
    expect(await seen(old, bob)).toEqual([]);
    await here.db.query(sql`update issues set confidential = true where id = ${old.id}`);
    expect(await seen(moved, fixture.eve)).toEqual([]);
  });

  it('may be a comment, but not an internal one', async () => {
    const { here, project, bob } = fixture;
    const target = await published();
    const subject = await issue(project.id, 4);
    const [noteable] = await here.db.query<{ id: number }>(sql`
      insert into noteables (kind, project_id, target_id) values ('Issue', ${project.id}, ${subject.id}) returning id`);
    const comment = async (internal: boolean) => {
      const [note] = await here.db.query<{ id: number }>(sql`
        insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body, internal)
        values (${noteable?.id}, ${project.id}, decode(md5(random()::text) || '00000000', 'hex'), true, ${bob.id}, ${`!${target.iid}`},
          ${internal}) returning id`);
      events += 1;
      const payload = NoteEvent.fromPartial({
        noteable: { kind: 'Issue', ...subject, title: 'Broken' },
        actorId: bob.id,
        occurredAt: new Date(),
        fact: { $case: 'created', value: { note: { id: note?.id ?? 0, internal } } } as never,
      });
      await received(await here.publishEvent(noteEvents, payload, `note:${events}`));
    };
    await comment(true);
    expect(await read(target)).toEqual([]);
    await comment(false);
    expect(await read(target)).toEqual(['mentioned in issue #4']);
  });
});
