import { checkedControl } from './train-control';

const now = new Date('2026-03-01T10:00:00Z');
const plain = { state: 'paused', reason: undefined, until: undefined };

test('a reason is stored as one line without white space at its ends, a blank one not at all', () => {
  expect(checkedControl({ ...plain, reason: '  the release  ' }, now)).toEqual({
    control: { state: 'paused', reason: 'the release', until: undefined },
  });
  expect(checkedControl({ ...plain, reason: ' ' }, now)).toEqual({ control: plain });
  const longest = '🚂'.repeat(255);
  expect(checkedControl({ ...plain, reason: longest }, now)).toMatchObject({ control: { reason: longest } });
});

test.each(['2026-03-01T10:00:00.001Z', '2026-03-31T10:00:00.000Z', '2026-03-31T12:00:00+02:00'])(
  'until %s is within the next 30 days',
  (until) => {
    expect(checkedControl({ ...plain, state: 'draining', until }, now)).toEqual({
      control: { state: 'draining', reason: undefined, until: new Date(until) },
    });
  },
);

test.each([
  ['2026-03-01T10:00:00.000Z', 'must be within the next 30 days'],
  ['2026-03-31T10:00:00.001Z', 'must be within the next 30 days'],
  ['soon', 'is invalid'],
])('until %s is refused', (until, text) => {
  expect(checkedControl({ ...plain, until }, now)).toEqual({ problems: { until: [text] } });
});

test('every problem is named at once', () => {
  const until = '2026-02-28T10:00:00Z';
  expect(checkedControl({ state: 'stopped', reason: `${'x'.repeat(300)}\u202e`, until }, now)).toEqual({
    problems: {
      state: ['does not have a valid value'],
      reason: ['is invalid', 'is too long (maximum is 255 characters)'],
      until: ['must be within the next 30 days'],
    },
  });
  expect(checkedControl({ state: 'running', reason: 'go', until }, now)).toEqual({
    problems: { until: ['goes with the states paused and draining only', 'must be within the next 30 days'] },
  });
});
