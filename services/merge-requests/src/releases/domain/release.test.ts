import { milestonesOf, type NewLink, problemsOfLink, problemsOfLinks, problemsOfRelease } from './release';

const link = (more: Partial<NewLink> = {}): NewLink => ({
  name: 'app',
  url: 'https://example.com/app',
  path: undefined,
  type: 'other',
  ...more,
});

test.each<[Partial<NewLink>, string | undefined]>([
  [{}, undefined],
  [{ url: 'ftp://example.com/app' }, undefined],
  [{ path: '/bin/app-1.0.tar.gz' }, undefined],
  [{ path: '' }, undefined],
  [{ name: ' ' }, 'name'],
  [{ name: 'x'.repeat(256) }, 'name'],
  [{ url: 'javascript:alert(1)' }, 'url'],
  [{ url: 'https://' }, 'url'],
  [{ url: `https://example.com/${'x'.repeat(2_048)}` }, 'url'],
  [{ path: 'bin/app' }, 'filepath'],
  [{ path: '/bin/../app' }, 'filepath'],
  [{ path: `/${'x'.repeat(128)}` }, 'filepath'],
])('a link with %j has a problem of %s', (more, field) => {
  expect(Object.keys(problemsOfLink(link(more)))).toEqual(field === undefined ? [] : [field]);
});

test('links of a new release are once by name, address and path, at most a hundred, with all problems at once', () => {
  expect(problemsOfLinks([link(), link({ name: 'b', url: 'https://example.com/b' })])).toEqual({});
  expect(problemsOfLinks([link({ path: '/a' }), link({ path: '/a' })])).toEqual({
    links: ['name has already been taken', 'url has already been taken', 'filepath has already been taken'],
  });
  const many = Array.from({ length: 101 }, (_, n) => link({ name: `${n}`, url: `https://example.com/${n}` }));
  expect(problemsOfLinks(many.slice(1))).toEqual({});
  expect(problemsOfLinks(many)).toEqual({ links: ['are too many (maximum is 100)'] });
});

test('texts have their lengths in characters', () => {
  expect(problemsOfRelease({ name: '😀'.repeat(255), description: 'x'.repeat(1_048_576) })).toEqual({});
  expect(Object.keys(problemsOfRelease({ name: 'x'.repeat(256), description: 'x'.repeat(1_048_577) }))).toEqual([
    'name',
    'description',
  ]);
});

test.each(['1500-01-01T00:00:00Z', '1970-01-01T00:00:00Z'])('a release of %s is refused, as by archives', (time) => {
  expect(problemsOfRelease({ releasedAt: new Date(time) })).toEqual({ released_at: ['must be after 1970-01-01'] });
  expect(problemsOfRelease({ releasedAt: new Date('1970-01-01T00:00:00.001Z') })).toEqual({});
});

test('milestones are found by title and by id, the nearest of a title first, each once', () => {
  const found = [
    { id: 7, title: 'one' },
    { id: 2, title: 'one' },
    { id: 3, title: 'two' },
  ];
  expect(milestonesOf({ titles: ['one', 'two', 'one'], ids: [] }, found)).toEqual({ ids: [7, 3], problems: {} });
  expect(milestonesOf({ titles: [], ids: [2] }, found)).toEqual({ ids: [2], problems: {} });
  expect(milestonesOf({ titles: ['one', 'none'], ids: [9] }, found)).toEqual({
    ids: [],
    problems: { milestones: ['Milestone(s) not found: none, 9'] },
  });
});
