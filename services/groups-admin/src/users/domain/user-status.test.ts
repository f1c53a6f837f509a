import { changeStatus, type StatusChange, statusProblems } from './user-status';

const now = new Date('2026-03-01T10:00:00Z');
const change = (given: Partial<StatusChange>): StatusChange => ({
  emoji: undefined,
  message: undefined,
  availability: undefined,
  clearAfterSeconds: undefined,
  partial: true,
  ...given,
});
const coffee = { emoji: 'coffee', message: 'Break', availability: 'busy', clear_at: now };

test('a change keeps what it does not name, a replacement does not', () => {
  expect(changeStatus(coffee, change({ message: 'Back' }), now)).toEqual({ ...coffee, message: 'Back' });
  expect(changeStatus(coffee, change({ message: 'Back', partial: false }), now)).toEqual({
    emoji: 'speech_balloon',
    message: 'Back',
    availability: 'not_set',
    clear_at: null,
  });
  expect(changeStatus(coffee, change({ clearAfterSeconds: 1_800 }), now)?.clear_at).toEqual(
    new Date('2026-03-01T10:30:00Z'),
  );
  expect(changeStatus(coffee, change({ clearAfterSeconds: 0 }), now)?.clear_at).toBeNull();
});

test('a status that says nothing is none', () => {
  expect(changeStatus(coffee, change({ partial: false }), now)).toBeUndefined();
  expect(changeStatus(coffee, change({ emoji: '', message: '', availability: '' }), now)).toBeUndefined();
});

test('every problem is named', () => {
  const wrong = change({ emoji: 'no such', message: 'x'.repeat(101), availability: 'away', clearAfterSeconds: -1 });
  expect(Object.keys(statusProblems(wrong))).toEqual(['emoji', 'message', 'availability', 'clear_status_after']);
  expect(statusProblems(change({ emoji: '+1', message: '😀'.repeat(100), availability: 'busy' }))).toEqual({});
});
