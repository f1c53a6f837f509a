import { noteRecord } from './note.record';

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
