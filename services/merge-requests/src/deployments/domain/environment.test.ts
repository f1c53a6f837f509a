import { createHash } from 'node:crypto';
import { AppError } from '@switchyard/errors';
import { checkEnvironment, mayBeStale, nameProblem, slugOf as slugBy, tierOf } from './environment';

const slugOf = (name: string) => slugBy(name, (text) => createHash('sha256').update(text).digest('hex'));

test.each([
  ['production', 'production'],
  ['review/fix-foo', /^review-fix-foo-[0-9a-z]{6}$/],
  ['Production', /^production-[0-9a-z]{6}$/],
  ['1', /^env-1-[0-9a-z]{6}$/],
  ['staging-', /^staging-[0-9a-z]{6}$/],
  ['a'.repeat(24), 'a'.repeat(24)],
  ['a'.repeat(25), /^a{17}-[0-9a-z]{6}$/],
  ['\u0024{x}//..', /^env-x-[0-9a-z]{6}$/],
])('the slug of %p', (name, wanted) => {
  const slug = slugOf(name);
  expect(slug).toMatch(wanted);
  expect(slug).toMatch(/^[a-z](?:-?[a-z0-9])*$/);
  expect(slug.length).toBeLessThanOrEqual(24);
});

test('slugs of names that differ differ', () => {
  const names = ['review/a', 'review-a', 'Review/a', 'review a', 'review.a', 'review_a'];
  expect(new Set(names.map((name) => slugOf(name))).size).toBe(names.length);
});

test.each([
  ['production', 'production'],
  ['Live', 'production'],
  ['non-prod', 'staging'],
  ['staging', 'staging'],
  ['qa/1', 'testing'],
  ['review/live', 'development'],
  ['moon', 'other'],
])('the tier that %p tells', (name, tier) => expect(tierOf(name)).toBe(tier));

test.each(['', '  ', '/a', 'a/', 'a\nb', 'a\u2028b', 'é', 'a'.repeat(256), 'a<b'])('%p is no name', (name) =>
  expect(nameProblem(name)).toEqual(expect.any(String)),
);
test.each(['a', 'review/\u0024{X}', 'a b.c_d-e', 'a'.repeat(255)])('%p is a name', (name) =>
  expect(nameProblem(name)).toBeUndefined(),
);

test('all problems are told at once', () => {
  const refused = () => checkEnvironment({ name: '/', description: 'x'.repeat(10_001), externalUrl: 'javascript:1' });
  expect(refused).toThrow(AppError);
  try {
    refused();
  } catch (error) {
    expect(Object.keys((error as AppError).body.message as object)).toEqual(['name', 'description', 'external_url']);
  }
  expect(() => checkEnvironment({ externalUrl: 'HTTPS://x.example/', description: null })).not.toThrow();
});

test('stale is between a week and ten years', () => {
  const now = new Date('2026-01-31T00:00:00Z');
  const at = (text: string) => mayBeStale(new Date(text), now);
  expect([at('2026-01-25'), at('2026-01-24'), at('2016-02-02'), at('2015-01-01'), at('2030-01-01')]).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
});
