import { choosePrimaryEmail, confirmationEnd, type LockedEmail, requireWaiting } from './email';

const sentAt = new Date('2026-03-01T10:00:00Z');
const row: LockedEmail = {
  id: 1,
  user_id: 2,
  email: 'ada@example.com',
  becomes_primary: false,
  confirmed_at: null,
  confirmation_sent_at: sentAt,
};

test('a link confirms once, and to the millisecond before its third day ends', () => {
  const end = confirmationEnd(sentAt);
  expect(end.toISOString()).toBe('2026-03-04T10:00:00.000Z');
  expect(() => requireWaiting(row, new Date(end.getTime() - 1))).not.toThrow();
  expect(() => requireWaiting(row, end)).toThrow('within 3 days');
  expect(() => requireWaiting({ ...row, confirmed_at: sentAt }, sentAt)).toThrow('already confirmed');
  expect(() => requireWaiting({ ...row, confirmation_sent_at: null }, sentAt)).toThrow('within 3 days');
});

test.each([
  ['new@example.com', { confirmed: true, ownsWanted: false }, false, 'wait'],
  ['new@example.com', { confirmed: true, ownsWanted: false }, true, 'set'],
  ['new@example.com', { confirmed: true, ownsWanted: true }, false, 'set'],
  ['ADA@example.com', { confirmed: true, ownsWanted: false }, false, 'set'],
  ['ada@example.com', { confirmed: false, ownsWanted: false }, false, 'wait'],
] as const)('%s as the primary e-mail of %j, skipping %s: %s', (wanted, facts, skips, expected) =>
  expect(choosePrimaryEmail({ email: 'ada@example.com', ...facts }, wanted, skips)).toBe(expected),
);
