import { checkIssuePlacement, checkPlacement, type Placement } from './placement';

const fits: Placement = {
  self: false,
  cycle: false,
  levelsAbove: 6,
  height: 1,
  sameRoot: true,
  parentConfidential: false,
  confidential: false,
  siblings: 999,
};

it.each<[string, Partial<Placement>]>([
  ['itself', { self: true }],
  ['what stands below it', { cycle: true }],
  ['an eighth level', { levelsAbove: 7 }],
  ['an eighth level by its children', { height: 2 }],
  ['a parent of another hierarchy', { sameRoot: false }],
  ['a confidential parent', { parentConfidential: true }],
  ['a parent with a thousand children', { siblings: 1_000 }],
])('an epic is not placed below %s', (_, given) => {
  expect(() => checkPlacement({ ...fits, ...given })).toThrow(expect.objectContaining({ kind: 'invalid' }));
});

it.each<Partial<Placement>>([{}, { confidential: true }, { parentConfidential: true, confidential: true }])(
  'an epic is placed where %j',
  (given) => {
    expect(() => checkPlacement({ ...fits, ...given })).not.toThrow();
  },
);

it.each([
  [true, false, false, true],
  [true, true, true, true],
  [true, false, true, true],
  [false, false, false, false],
  [true, true, false, false],
])('an issue in the hierarchy %s of a confidential %s epic, itself %s: %s', (sameRoot, epic, issue, allowed) => {
  const check = () => checkIssuePlacement({ sameRoot, epicConfidential: epic, issueConfidential: issue });
  if (allowed) expect(check).not.toThrow();
  else expect(check).toThrow(expect.objectContaining({ kind: 'invalid' }));
});
