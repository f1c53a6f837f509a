import { timeStats, trackTime } from './time-tracking';

const times = { timeEstimate: 3_600, totalTimeSpent: 60 };
const invalid = 'must have a valid format and be greater than or equal to zero.';

test.each([
  ['estimate', '3h 30m', { times: { timeEstimate: 12_600 } }],
  ['estimate', '0', { times: { timeEstimate: 0 } }],
  ['estimate', '-1h', { problems: { time_estimate: [invalid] } }],
  ['estimate', 'soon', { problems: { time_estimate: [invalid] } }],
  ['reset_estimate', '', { times: { timeEstimate: 0 } }],
  ['spend', '2m', { times: { totalTimeSpent: 180 } }],
  ['spend', '-1m', { times: { totalTimeSpent: 0 } }],
  ['spend', '-61s', { problems: { base: ['Time to subtract exceeds the total time spent'] } }],
  ['spend', '2147483647s', { problems: { base: ['Total time spent exceeds the maximum'] } }],
  ['spend', '', { problems: { time_spent: ["can't be blank"] } }],
  ['reset_spent', '5h', { times: { totalTimeSpent: 0 } }],
] as const)('%s %j', (kind, duration, expected) => {
  expect(trackTime(times, { kind, duration })).toEqual(expected);
});

test('times are printed in seconds and as people write them', () => {
  expect(timeStats(times)).toEqual({
    time_estimate: 3_600,
    total_time_spent: 60,
    human_time_estimate: '1h',
    human_total_time_spent: '1m',
  });
});
