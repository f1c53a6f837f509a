import { noteRecord, toImported } from './note.record';

const sha = 'a'.repeat(40);
const place = {
  ...{ baseSha: sha, startSha: sha, headSha: sha, positionType: 'text', oldPath: 'a.txt', newPath: '' },
  newLine: 1,
};
const note = {
  ...{ noteable_iid: 1, commit_id: null, snippet: null, noteable_type: 'MergeRequest', discussion_id: sha },
  ...{ type: 'DiffNote', author: 'ann', body: 'text', system: false, action: null, internal: false },
  ...{ original_position: place, position: place, resolved_by: null, resolved_at: null },
  ...{ created_at: '2026-01-02T03:04:05Z', updated_at: '2026-01-02T03:04:05Z' },
};

it('reads a position as it is kept', () => {
  expect(noteRecord.parse(note).position).toEqual({ ...place, newPath: 'a.txt' });
});

it.each([
  ['no path', { oldPath: '' }],
  ['no line', { newLine: undefined }],
  ['another commit', { commitId: 'b'.repeat(40) }],
  ['a range that is too long', { lineRange: 'x'.repeat(5_000) }],
])('refuses a position with %s', (_, wrong) => {
  for (const field of ['position', 'original_position'])
    expect(noteRecord.safeParse({ ...note, [field]: { ...place, ...wrong } }).error?.issues).toMatchObject([
      { path: [field] },
    ]);
});

it.each(['\0', '\ud83d'])('refuses text that cannot be kept, %j', (wrong) => {
  const range = (start: string) => ({ ...note, position: { ...place, lineRange: { start } } });
  const refused = [{ ...note, body: wrong }, range(wrong), range(`\\${wrong}`)];
  expect(refused.map((one) => noteRecord.safeParse(one).success)).toEqual([false, false, false]);
  expect(noteRecord.safeParse(range(JSON.stringify(wrong))).success).toBe(true);
});

const suggestion = { lines_above: 1, lines_below: 0, from_content: 'a\n', to_content: 'b\n', commit_sha: sha };

it('reads what a note suggests at a line that is there after the change', () => {
  const people = { writer: () => 1, user: () => 1, users: () => [], decider: () => 1 };
  const suggestions = (given: object) =>
    toImported(1, people)(noteRecord.parse({ ...note, suggestions: [suggestion], ...given })).suggestions;
  expect(suggestions({})).toEqual([
    { linesAbove: 1, linesBelow: 0, fromContent: 'a\n', toContent: 'b\n', commitSha: sha },
  ]);
  for (const none of [{ position: null }, { type: null }, { position: { ...place, newLine: undefined, oldLine: 1 } }])
    expect(suggestions(none)).toBeUndefined();
});

it.each([{ lines_above: 101 }, { lines_below: -1 }, { from_content: '\0' }, { commit_sha: 'main' }])(
  'refuses a suggestion that no note makes, %j',
  (wrong) => {
    const given = { ...note, suggestions: [{ ...suggestion, ...wrong }] };
    expect(noteRecord.safeParse(given).success).toBe(false);
    expect(noteRecord.safeParse({ ...note, suggestions: Array(21).fill(suggestion) }).success).toBe(false);
  },
);
