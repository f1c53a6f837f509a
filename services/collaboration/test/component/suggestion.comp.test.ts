import { NotePosition } from '@switchyard/protos/collaboration/v1/discussion';
import { CreateDraftNoteRequest } from '@switchyard/protos/collaboration/v1/draft_note';
import { dieAt, eventually, terminate } from '@switchyard/testkit';
import type { Fact, StoredTarget } from '../support/installation';
import { type Item, json, mergeRequestRef, type NoteFixture, startNoteFixture } from '../support/note-fixture';
import { suggestionCommit } from '../support/suggested-changes';

let fixture: NoteFixture;

beforeAll(async () => {
  fixture = await startNoteFixture();
});

afterAll(() => fixture.here.close());

const block = (lines: string, range = '') => `\`\`\`suggestion${range}\n${lines}\n\`\`\``;
const place = (given: Partial<NotePosition> = {}) =>
  NotePosition.fromPartial({
    baseSha: 'a'.repeat(40),
    startSha: 'a'.repeat(40),
    headSha: 'b'.repeat(40),
    positionType: 'text',
    newPath: 'file.txt',
    newLine: 4,
    ...given,
  });

const start = async (
  target: StoredTarget,
  body: string,
  { position = place(), internal = false, commitId = undefined as string | undefined } = {},
): Promise<Item> =>
  json(
    await fixture.here.discussions.createDiscussion(
      { noteable: mergeRequestRef(target), body, createdAt: undefined, internal, position, commitId },
      fixture.as(fixture.ada),
    ),
  );

const read = async (target: StoredTarget, discussionId: string): Promise<Item> =>
  json(
    await fixture.here.discussions.getDiscussion(
      { noteable: mergeRequestRef(target), discussionId },
      fixture.as(fixture.ada),
    ),
  );

const apply = async (ids: number[], { by = fixture.bob, asList = true, commitMessage = '' } = {}): Promise<Item> =>
  json(
    await fixture.here.suggestions.applySuggestions(
      { projectId: fixture.project.id, ids, commitMessage, asList },
      fixture.as(by),
    ),
  );

const edit = async (target: StoredTarget, noteId: number, body: string): Promise<Item> =>
  json(
    await fixture.here.notes.updateNote(
      { noteable: mergeRequestRef(target), noteId, body, confidential: undefined },
      fixture.as(fixture.ada),
    ),
  );

const one = { appliable: true, applied: false };

test('blocks of a diff note are its suggestions, also in replies and drafts', async () => {
  const target = fixture.mergeRequest();
  const thread = await start(target, `Better:\n${block('x', ':-1+2')}\n${block('')}`);
  expect(thread.notes[0].suggestions).toMatchObject([
    {
      ...one,
      from_line: 3,
      to_line: 6,
      from_content: 'line 3\nline 4\nline 5\nline 6\n',
      to_content: 'x\n',
    },
    { ...one, from_line: 4, to_line: 4, from_content: 'line 4\n', to_content: '' },
  ]);
  const replied = json(
    await fixture.here.discussions.replyToDiscussion(
      {
        noteable: mergeRequestRef(target),
        discussionId: thread.id,
        body: block('y', ':-9'),
        createdAt: undefined,
      },
      fixture.as(fixture.bob),
    ),
  );
  expect(replied.suggestions).toMatchObject([{ from_line: 1, to_line: 4, to_content: 'y\n' }]);
  const at = { projectId: target.projectId, mergeRequestIid: target.iid };
  for (const given of [{ inReplyToDiscussionId: thread.id }, { position: place({ newLine: 9 }) }])
    await fixture.here.drafts.createDraftNote(
      CreateDraftNoteRequest.fromPartial({ ...at, note: block('z', ':+5'), ...given }),
      fixture.as(fixture.bob),
    );
  const before = fixture.here.suggestedChanges.reads;
  await fixture.here.drafts.publishDraftNotes({ ...at, draftNoteId: undefined }, fixture.as(fixture.bob));
  expect(fixture.here.suggestedChanges.reads).toBe(before + 1);
  const { notes } = await read(target, thread.id);
  expect(notes.map((note: Item) => note.suggestions.length)).toEqual([2, 1, 1]);
  // A published draft moves with its thread to the newest version.
  const [{ from_line, to_line }] = notes[2].suggestions;
  expect(to_line - from_line).toBe(5);
});

test('notes elsewhere suggest nothing, and nobody is asked', async () => {
  const target = fixture.mergeRequest();
  const before = fixture.here.suggestedChanges.reads;
  const removed = await start(target, block('x'), { position: place({ newLine: undefined, oldLine: 4 }) });
  const ofCommit = await start(target, block('x'), { commitId: 'b'.repeat(40) });
  const without = await start(target, 'Only words');
  for (const thread of [removed, ofCommit, without]) expect(thread.notes[0].suggestions).toEqual([]);
  expect(fixture.here.suggestedChanges.reads).toBe(before);
  expect((await start(target, block('x'), { position: place({ newPath: 'binary' }) })).notes[0].suggestions).toEqual(
    [],
  );
  await expect(start(target, `${block('x')}\n`.repeat(21))).rejects.toMatchObject({ kind: 'bad_request' });
});

test('an edit takes up what the text suggests then, and keeps what it still does', async () => {
  const target = fixture.mergeRequest();
  const { notes } = await start(target, `${block('x')}\n${block('y')}`);
  const [note] = notes;
  const [first, second] = note.suggestions;
  await apply([first.id]);
  const { suggestions } = await edit(target, note.id, `Well:\n${block('x')}\n${block('z')}\n${block('u')}`);
  expect(suggestions).toMatchObject([
    { id: first.id, applied: true, appliable: false },
    { ...one, to_content: 'z\n' },
    { ...one, to_content: 'u\n' },
  ]);
  expect(suggestions[1].id).not.toBe(second.id);
  expect((await edit(target, note.id, 'Never mind')).suggestions).toEqual([]);
});

test('suggestions are applied in one commit, in the name of the caller, and their threads resolved', async () => {
  const target = fixture.mergeRequest();
  const [a, b, left] = [
    await start(target, block('x', ':-1')),
    await start(target, block('y'), { position: place({ newLine: 8 }) }),
    await start(target, block('z')),
  ];
  const ids = [a, b].map(({ notes }) => notes[0].suggestions[0].id);
  expect(await apply(ids, { commitMessage: 'Both' })).toMatchObject([
    { id: ids[0], applied: true, appliable: false, from_line: 3 },
    { id: ids[1], applied: true },
  ]);
  expect(fixture.here.suggestedChanges.applied.at(-1)).toMatchObject({
    userId: fixture.bob.id,
    mergeRequestId: target.id,
    commitMessage: 'Both',
    changes: [
      { suggestionId: ids[0], fromContent: 'line 3\nline 4\n', toContent: 'x\n', authorId: fixture.ada.id },
      { suggestionId: ids[1], lines: { position: { newPath: 'file.txt', newLine: 8 } } },
    ],
  });
  expect((await read(target, a.id)).notes[0]).toMatchObject({ resolved: true, resolved_by: { id: fixture.bob.id } });
  expect((await read(target, left.id)).notes[0]).toMatchObject({ resolved: false, suggestions: [one] });
  await expect(apply(ids)).rejects.toMatchObject({
    kind: 'bad_request',
    body: { message: expect.stringMatching(/already/) },
  });
  expect(await apply([left.notes[0].suggestions[0].id], { asList: false })).toMatchObject({ applied: true });
});

test('what cannot be applied stays as it is', async () => {
  const [target, other] = [fixture.mergeRequest(), fixture.mergeRequest()];
  const [{ id: thread, notes }, elsewhere] = [await start(target, block('x')), await start(other, block('x'))];
  const { id } = notes[0].suggestions[0];
  const several = [id, elsewhere.notes[0].suggestions[0].id];
  await expect(apply(several)).rejects.toMatchObject({ kind: 'bad_request' });
  fixture.here.suggestedChanges.refused = true;
  await expect(apply([id])).rejects.toMatchObject({
    kind: 'bad_request',
    body: { message: expect.stringContaining('The lines have changed.') },
  });
  fixture.here.suggestedChanges.refused = false;
  await expect(apply([id, 999_999])).rejects.toMatchObject({ kind: 'not_found' });
  await expect(apply([])).rejects.toMatchObject({ kind: 'invalid_params' });
  await expect(apply(Array.from({ length: 101 }, (_, at) => at + 1))).rejects.toMatchObject({ kind: 'invalid_params' });
  expect((await read(target, thread)).notes[0]).toMatchObject({ resolved: false, suggestions: [one] });
});

test('a suggestion that the caller may not see is none', async () => {
  const target = fixture.mergeRequest();
  const internal = await start(target, block('x'), { internal: true });
  const hidden = await start(target, block('x'));
  await expect(apply([internal.notes[0].suggestions[0].id], { by: fixture.eve })).rejects.toMatchObject({
    kind: 'not_found',
  });
  target.hiddenFrom = [fixture.eve.id];
  await expect(apply([hidden.notes[0].suggestions[0].id], { by: fixture.eve })).rejects.toMatchObject({
    kind: 'not_found',
  });
  const locate = (ids: number[]) => fixture.here.suggestions.locateSuggestions({ ids }, fixture.as(fixture.bob));
  const { id } = hidden.notes[0].suggestions[0];
  const { projectId } = target;
  expect(await locate([id])).toEqual({ projectId, internal: false });
  expect(await locate([id, internal.notes[0].suggestions[0].id])).toEqual({ projectId, internal: true });
  await expect(locate([id, 999_999])).rejects.toMatchObject({ kind: 'not_found' });
});

test('a process that dies after the commit marks the suggestions once the commit is reported', async () => {
  const target = fixture.mergeRequest();
  const thread = await start(target, block('x'));
  const { id } = thread.notes[0].suggestions[0];
  await fixture.here.stopHere();
  await dieAt('suggestion.committed', fixture.here.startProcess, () => apply([id]).catch(() => undefined));
  const next = await fixture.here.startProcess();
  expect((await read(target, thread.id)).notes[0]).toMatchObject({
    resolved: false,
    suggestions: [{ applied: false }],
  });
  const fact: Fact = { $case: 'suggestionsApplied', value: { suggestionIds: [id], commitSha: suggestionCommit } };
  await fixture.here.publish(target, fact, { actorId: fixture.bob.id, cause: 5 });
  await eventually(
    async () =>
      expect((await read(target, thread.id)).notes[0]).toMatchObject({
        resolved: true,
        resolved_by: { id: fixture.bob.id },
        suggestions: [{ applied: true }],
      }),
    { within: 20_000 },
  );
  expect(await terminate(next)).toBe(0);
});
