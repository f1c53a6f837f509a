import { crossReferenceCause, isSameObject, mentionedIn, type ReferenceSource } from './cross-reference';

const source = (given: Partial<ReferenceSource>): ReferenceSource => ({
  kind: 'Issue',
  id: 9,
  iid: 3,
  projectId: 5,
  sha: '',
  ...given,
});
const target = { kind: 'Issue', id: 11, iid: 4, projectId: 5 } as const;
const epic = { kind: 'Epic', id: 11, iid: 4, projectId: 0, groupId: 7 } as const;
const elsewhere = { ...target, projectId: 6 };
const commit = source({ kind: 'Commit', id: 0, iid: 0, sha: 'abc' });

it.each([
  [source({}), target, 'mentioned in issue #3'],
  [source({}), elsewhere, 'mentioned in issue team/rails#3'],
  [source({ kind: 'MergeRequest' }), target, 'mentioned in merge request !3'],
  [source({ kind: 'MergeRequest' }), elsewhere, 'mentioned in merge request team/rails!3'],
  [source({ kind: 'Epic', projectId: 0, groupId: 7 }), target, 'mentioned in epic team/rails&3'],
  [source({ kind: 'Epic', projectId: 0, groupId: 7 }), epic, 'mentioned in epic &3'],
  [source({ kind: 'Epic', projectId: 0, groupId: 8 }), epic, 'mentioned in epic team/rails&3'],
  [source({}), epic, 'mentioned in issue team/rails#3'],
  [commit, target, 'mentioned in commit abc'],
  [commit, elsewhere, 'mentioned in commit team/rails@abc'],
])('%j is named on %j', (from, to, text) => {
  expect(mentionedIn(from, 'team/rails', to)).toBe(text);
});

it('distinguishes every pair of objects, and an object that refers to itself', () => {
  const causes = [source({}), source({ kind: 'MergeRequest' }), commit].flatMap((from) =>
    [target, { ...target, kind: 'MergeRequest' as const }].map((to) => crossReferenceCause(from, to)),
  );
  expect(new Set(causes).size).toBe(6);
  expect(isSameObject(source({ id: 11 }), target)).toBe(true);
  expect(isSameObject(source({ kind: 'MergeRequest', id: 11 }), target)).toBe(false);
});
