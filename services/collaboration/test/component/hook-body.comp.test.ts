import { sql } from '@switchyard/database/sql';
import { CreateEpicRequest, UpdateEpicRequest } from '@switchyard/protos/collaboration/v1/epic';
import { CreateIssueRequest, UpdateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { hookFactsStore } from '../../src/hook-bodies/storage/hook-facts.store';
import { renderHookBodies } from '../../src/hook-bodies/transport/render-hook-bodies';
import { type Item, json, type NoteFixture, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;

beforeAll(async () => {
  fixture = await startNoteFixture();
});

afterAll(() => fixture.here.close());

/** The bodies of what has been published of issues and notes, in order. */
async function published(): Promise<Item[]> {
  const events = await fixture.here.db.query<{ id: string; type: string; body: string }>(sql`
    select event_id as id, type, body::text as body from events.outbox o
    where type in ('issue.changed', 'epic.changed', 'note.changed') order by o.id`);
  const render = renderHookBodies({
    factsOf: hookFactsStore(fixture.here.db),
    // While their owner does not answer, merge requests are named as the events name them.
    partsOf: async () => {
      throw new Error('merge-requests does not answer');
    },
    externalUrl: 'https://forge.example',
    ensureDirectory: async () => undefined,
  });
  const rendered = await render(events);
  expect(rendered.map(({ eventId }) => eventId)).toEqual(events.map(({ id }) => id));
  return rendered.flatMap(({ bodies }) => bodies).map((body) => ({ ...body, json: JSON.parse(body.json.toString()) }));
}

test('what users do to an issue becomes hook bodies, with what was before (G-6-4)', async () => {
  const { here, ada, bob, project } = fixture;
  const request = CreateIssueRequest.fromPartial({ projectId: project.id, title: 'Broken', description: 'Old text' });
  const { iid, id } = json(await here.issues.createIssue(request, fixture.as(ada)));
  const edit = { projectId: project.id, iid, title: 'Mended', description: 'New text', assigneeIds: { ids: [bob.id] } };
  await here.issues.updateIssue(UpdateIssueRequest.fromPartial(edit), fixture.as(ada));
  const noteable = { projectId: project.id, target: { $case: 'issueIid' as const, value: iid } };
  const written = { noteable, body: 'Well done', internal: true, createdAt: undefined };
  const note = json(await here.notes.createNote(written, fixture.as(ada)));
  const awardable = { noteable, noteId: undefined };
  await here.awards.createAwardEmoji({ awardable, name: 'rocket' }, fixture.as(bob));
  await here.issues.updateIssue(
    UpdateIssueRequest.fromPartial({ projectId: project.id, iid, stateEvent: 'close' }),
    fixture.as(bob),
  );

  const bodies = await published();
  expect(bodies.map(({ kind, action }) => `${kind} ${action}`)).toEqual([
    'issue open',
    'issue update',
    'note create',
    'emoji award',
    'issue close',
  ]);
  expect(bodies.map(({ objectKey }) => objectKey)).toEqual(Array(5).fill(`issue:${id}`));
  const [opened, edited, noted, reacted, closed] = bodies;
  expect(opened.json).toMatchObject({
    user: { username: ada.username },
    project: { id: project.id },
    object_attributes: { id, iid, title: 'Broken', action: 'open' },
  });
  expect(edited.json.changes).toMatchObject({
    title: { previous: 'Broken', current: 'Mended' },
    description: { previous: 'Old text', current: 'New text' },
    assignees: { previous: [], current: [{ username: bob.username }] },
  });
  expect(noted).toMatchObject({ confidential: true, leastLevel: 20 });
  expect(noted.json).toMatchObject({
    object_attributes: {
      id: note.id,
      note: 'Well done',
      internal: true,
      discussion_id: expect.stringMatching(/^[0-9a-f]{40}$/),
    },
    issue: { id, state: 'closed', assignee_ids: [bob.id] },
  });
  expect(reacted.json.object_attributes).toMatchObject({
    id: expect.any(Number),
    name: 'rocket',
    awardable_type: 'Issue',
  });
  expect(closed.json.object_attributes).toMatchObject({ action: 'close', state_id: 2, closed_at: expect.any(String) });
});

test('what users do to an epic becomes bodies of its group, with the dates that hold (G-6-4)', async () => {
  const { here, ada, bob, project } = fixture;
  const groupId = project.namespaceId;
  const as = (user = ada) => here.as(user, { id: groupId, level: 40, kind: Access_Kind.KIND_GROUP, tier: 'ultimate' });
  const known = (await published()).length;
  const made = CreateEpicRequest.fromPartial({
    groupId,
    title: 'Plan',
    description: 'Old text',
    dates: { dueDateIsFixed: true, dueDateFixed: '2030-01-02' },
  });
  const { id, iid } = json(await here.epics.createEpic(made, as()));
  const edit = { groupId, iid, title: 'Big plan', description: 'New text', confidential: true };
  await here.epics.updateEpic(UpdateEpicRequest.fromPartial(edit), as());
  const noteable = { projectId: groupId, target: { $case: 'epicId' as const, value: id } };
  await here.notes.createNote({ noteable, body: 'Well done', internal: false, createdAt: undefined }, as(bob));
  await here.epics.updateEpic(UpdateEpicRequest.fromPartial({ groupId, iid, stateEvent: 'close' }), as(bob));

  const bodies = (await published()).slice(known);
  expect(bodies.map(({ kind, action }) => `${kind} ${action}`)).toEqual([
    'epic open',
    'epic update',
    'note create',
    'epic close',
  ]);
  for (const body of bodies)
    expect(body).toMatchObject({ objectKey: `epic:${id}`, projectId: 0, groupId, confidential: true, leastLevel: 15 });
  const [opened, edited, noted, closed] = bodies;
  expect(opened.json).toMatchObject({
    object_kind: 'work_item',
    group: { group_id: groupId },
    object_attributes: { id, iid, title: 'Plan', due_date: '2030-01-02', start_date: null },
  });
  expect(edited.json.changes).toEqual({
    title: { previous: 'Plan', current: 'Big plan' },
    confidential: { previous: false, current: true },
    description: { previous: 'Old text', current: 'New text' },
  });
  expect(noted.json).toMatchObject({ object_attributes: { note: 'Well done' }, epic: { id, title: 'Big plan' } });
  expect(closed.json).toMatchObject({ user: { username: bob.username }, object_attributes: { state: 'closed' } });
});
