import { resourceEventsOf } from './resource-events';

const of = (state: string, labelIds: number[] = [], milestoneId?: number) => ({ state, labelIds, milestoneId });
const said = (...args: Parameters<typeof resourceEventsOf>) =>
  resourceEventsOf(...args).map(({ kind, action, objectId }) => [kind, action, objectId ?? 0].join(' '));

test.each([
  ['opened', 'closed', ['state closed 0']],
  ['closed', 'opened', ['state reopened 0']],
  ['locked', 'merged', ['state merged 0']],
  ['opened', 'locked', []],
  ['locked', 'opened', []],
  ['closed', 'closed', []],
])('from %s to %s', (before, after, events) => expect(said(of(before), of(after))).toEqual(events));

test('labels and milestones that come and go', () => {
  expect(said(of('opened', [1, 2], 5), of('opened', [2, 3], 6))).toEqual([
    'label add 3',
    'label remove 1',
    'milestone remove 5',
    'milestone add 6',
  ]);
  expect(said(of('opened', [], 5), of('opened'))).toEqual(['milestone remove 5']);
});

test('what is new has its labels and milestone, and no event of its state', () =>
  expect(said(undefined, of('opened', [1], 5))).toEqual(['label add 1', 'milestone add 5']));
