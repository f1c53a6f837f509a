import { parseTimeSpent, timeStats, trackTime, withoutTime } from './time-tracking';

const times = { timeEstimate: 3_600, totalTimeSpent: 60 };
const log = (seconds: number) => ({ seconds, spentAt: undefined, summary: undefined });
const invalid = 'must have a valid format and be greater than or equal to zero.';

test.each([
  ['estimate', '3h 30m', { times: { timeEstimate: 12_600 }, logs: [] }],
  ['estimate', '0', { times: { timeEstimate: 0 }, logs: [] }],
  ['estimate', '-1h', { problems: { time_estimate: [invalid] } }],
  ['estimate', 'soon', { problems: { time_estimate: [invalid] } }],
  ['reset_estimate', '', { times: { timeEstimate: 0 }, logs: [] }],
  ['spend', '2m', { times: { totalTimeSpent: 180 }, logs: [log(120)] }],
  ['spend', '-1m', { times: { totalTimeSpent: 0 }, logs: [log(-60)] }],
  ['spend', '0m', { times: { totalTimeSpent: 60 }, logs: [] }],
  ['spend', '-61s', { problems: { base: ['Time to subtract exceeds the total time spent'] } }],
  ['spend', '2147483647s', { problems: { base: ['Total time spent exceeds the maximum'] } }],
  ['spend', '', { problems: { time_spent: ["can't be blank"] } }],
  ['reset_spent', '5h', { times: { totalTimeSpent: 0 }, logs: [log(-60)] }],
] as const)('%s %j', (kind, duration, expected) => {
  expect(trackTime(times, { kind, duration })).toEqual(expected);
});

test('time spent is logged with its day and its summary, and all that is wrong with it is said at once', () => {
  const spent = { kind: 'spend', duration: '1h', spentAt: '2026-01-03', summary: 'Review' } as const;
  expect(trackTime(times, spent)).toEqual({
    times: { totalTimeSpent: 3_660 },
    logs: [{ seconds: 3_600, spentAt: '2026-01-03', summary: 'Review' }],
  });
  expect(trackTime(times, { kind: 'spend', duration: 'soon', summary: 'x'.repeat(256) })).toEqual({
    problems: { time_spent: ["can't be blank"], summary: ['is too long (maximum is 255 characters)'] },
  });
  expect(trackTime({ ...times, totalTimeSpent: 0 }, { kind: 'reset_spent', duration: '' })).toEqual({
    times: { totalTimeSpent: 0 },
    logs: [],
  });
});

test('an entry is taken out as long as the time spent does not fall below 0', () => {
  expect(withoutTime(times, { seconds: 60 })).toEqual({ times: { totalTimeSpent: 0 }, logs: [] });
  expect(withoutTime(times, { seconds: -60 })).toEqual({ times: { totalTimeSpent: 120 }, logs: [] });
  expect(withoutTime(times, { seconds: 61 })).toEqual({
    problems: { base: ['Time to subtract exceeds the total time spent'] },
  });
});

test('times are printed in seconds and as people write them', () => {
  expect(timeStats(times)).toEqual({
    time_estimate: 3_600,
    total_time_spent: 60,
    human_time_estimate: '1h',
    human_total_time_spent: '1m',
  });
});

test('time spent may name the day of the work, which has come', () => {
  const now = new Date('2026-03-01T00:00:00Z');
  const read = (text: string) => parseTimeSpent(text, now);
  expect(read('1h 30m')).toEqual({ duration: '1h 30m', seconds: 5_400, spentAt: undefined });
  expect(read(' -1h 30m  2024-02-29 ')).toEqual({ duration: '-1h 30m', seconds: -5_400, spentAt: '2024-02-29' });
  expect(read('1h 2026-03-01')?.spentAt).toBe('2026-03-01');
  for (const text of [
    '1h 2026-03-02',
    '1h 2025-02-29',
    '1h 0000-01-01',
    '2024-01-01',
    '0 2024-01-01',
    '1h2024-01-01',
    'soon',
    '',
  ])
    expect([text, read(text)]).toEqual([text, undefined]);
});
