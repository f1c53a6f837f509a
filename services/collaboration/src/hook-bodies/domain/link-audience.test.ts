import { type LinkEnd, levelForBoth } from './link-audience';

const end = (ancestry: number[], visibility = 'private', confidential = false): LinkEnd => ({
  group: { id: ancestry.at(-1) ?? 0, visibility, ancestry },
  confidential,
});

it.each<[string, LinkEnd, LinkEnd, number | undefined]>([
  ['of the same group', end([1]), end([1]), 0],
  ['of the same group, confidential', end([1]), end([1], 'private', true), 15],
  ['of the same group, itself confidential', end([1], 'public', true), end([1], 'public'), 15],
  ['of any public group', end([1, 2]), end([9], 'public'), 0],
  ['of a public group, itself confidential', end([1], 'private', true), end([9], 'public'), 15],
  ['of a public group, confidential', end([1]), end([9], 'public', true), undefined],
  ['below', end([1], 'public'), end([1, 2]), 10],
  ['below, confidential', end([1]), end([1, 2], 'public', true), 15],
  ['above', end([1, 2]), end([1]), undefined],
  ['above, internal', end([1, 2]), end([1], 'internal'), undefined],
  ['elsewhere', end([1]), end([9]), undefined],
])('an epic that is linked to one %s', (_where, one, other, level) => {
  expect(levelForBoth(one, other)).toBe(level);
});
