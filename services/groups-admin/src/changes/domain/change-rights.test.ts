import { type ChangeAudience, mayRead, type ReaderRights, type RightsOfReader } from './change-rights';

const change = (given: Partial<ChangeAudience> = {}): ChangeAudience => ({
  confidential: false,
  projectId: 5,
  groupId: 0,
  authorId: 0,
  audienceIds: [],
  feature: '',
  leastLevel: 0,
  ...given,
});

const rights = (level: number, closed: string[] = []): ReaderRights => ({ level, closed: new Set(closed) });

const reader = (given: Partial<RightsOfReader> = {}): RightsOfReader => ({
  userId: 9,
  admin: false,
  projects: new Map([[5, rights(10)]]),
  groups: new Map([[4, rights(0)]]),
  ...given,
});

const confidential = { confidential: true, leastLevel: 15, authorId: 7, audienceIds: [8] };

test.each<[string, ChangeAudience, RightsOfReader, boolean]>([
  ['what is for everybody', change(), reader(), true],
  ['a project that is not seen', change({ projectId: 6 }), reader(), false],
  ['a group that is seen', change({ projectId: 0, groupId: 4 }), reader(), true],
  ['a group that is not seen', change({ projectId: 0, groupId: 3 }), reader(), false],
  ['neither project nor group: the instance', change({ projectId: 0 }), reader(), false],
  ['an open feature', change({ feature: 'issues' }), reader(), true],
  [
    'a closed feature',
    change({ feature: 'issues' }),
    reader({ projects: new Map([[5, rights(50, ['issues'])]]) }),
    false,
  ],
  ['a level that is not reached', change({ leastLevel: 30 }), reader(), false],
  ['a level that is reached', change({ leastLevel: 10 }), reader(), true],
  ['an administrator', change(confidential), reader({ admin: true, projects: new Map([[5, rights(0)]]) }), true],
  ['confidential, below the level', change(confidential), reader(), false],
  ['confidential, at the level', change(confidential), reader({ projects: new Map([[5, rights(15)]]) }), true],
  ['confidential, its author', change(confidential), reader({ userId: 7 }), true],
  ['confidential, one of its audience', change(confidential), reader({ userId: 8 }), true],
  [
    'confidential, its author who no longer sees the project',
    change(confidential),
    reader({ userId: 7, projects: new Map() }),
    false,
  ],
  ['confidential without a level is for Reporters', change({ confidential: true }), reader(), false],
  [
    'confidential without an author is not for the anonymous',
    change({ confidential: true }),
    reader({ userId: 0 }),
    false,
  ],
  ['not confidential: an author needs the level', change({ leastLevel: 30, authorId: 9 }), reader(), false],
])('%s', (_, given, who, expected) => {
  expect(mayRead(given, who)).toBe(expected);
});
