import { dateAfter, expiryProblem } from './token-lifetime';

test('a token lives at most as many days as allowed', () => {
  const now = new Date('2026-03-01T23:59:59Z');
  expect(dateAfter(now, 365)).toBe('2027-03-01');
  expect(expiryProblem('2027-03-01', now, 365)).toBeUndefined();
  expect(expiryProblem('2027-03-02', now, 365)).toBe('Expiration date must be before 2027-03-01');
});
