import { dateAfter, expiryProblem } from './token-lifetime';

test('a token lives at most as many days as allowed', () => {
  const now = new Date('2026-03-01T23:59:59Z');
  expect(dateAfter(now, 365)).toBe('2027-03-01');
  const rule = { now, lifetimeDays: 365, mustBeAhead: false };
  expect(expiryProblem('2027-03-01', rule)).toBeUndefined();
  expect(expiryProblem('2027-03-02', rule)).toBe('Expiration date must be before 2027-03-01');
});

test('a date in the past is refused where it has to be ahead', () => {
  const rule = { now: new Date('2026-03-01T00:00:01Z'), lifetimeDays: 365, mustBeAhead: true };
  expect(expiryProblem('2026-03-01', rule)).toBe('Expiration date cannot be in the past');
  expect(expiryProblem('2026-03-02', rule)).toBeUndefined();
  expect(expiryProblem('2020-01-01', { ...rule, mustBeAhead: false })).toBeUndefined();
});
