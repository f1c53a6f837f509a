import { decideCreate, decideUpdate, isActive } from './broadcast-message';

const now = new Date('2026-05-01T12:00:00Z');
const at = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);

test('a message begins now and ends an hour later (api.md 4.13)', () => {
  expect(decideCreate({ message: 'Hello' }, now)).toEqual({
    message: 'Hello',
    startsAt: now,
    endsAt: at(60),
    font: '#FFFFFF',
    targetAccessLevels: [],
    targetPath: '',
    broadcastType: 'banner',
    dismissable: false,
    theme: 'indigo',
  });
});

test.each([
  ['past', -600, 60],
  ['future', 600, 660],
])('with a beginning in the %s alone it ends an hour after now or after it', (_, begin, end) => {
  expect(decideCreate({ message: 'x', startsAt: at(begin) }, now).endsAt).toEqual(at(end));
});

test('all problems are reported at once (G-4.13-3)', () => {
  const bad = { message: ' ', font: 'red', startsAt: at(1), endsAt: at(0), targetPath: 'x'.repeat(256) };
  expect(() => decideCreate({ ...bad, broadcastType: 'notification', theme: 'red' }, now)).toThrow(
    expect.objectContaining({
      body: {
        message: {
          message: ["can't be blank"],
          ends_at: ['must not be before starts_at'],
          font: ['must be a valid color code'],
          target_path: ['is too long (maximum is 255 characters)'],
          theme: ['is for banners only'],
        },
      },
    }),
  );
  expect(() => decideCreate({ message: 'x'.repeat(10_001) }, now)).toThrow();
});

test('a change is checked with what stays, and a notification has no theme', () => {
  const message = decideCreate({ message: 'x', theme: 'red', targetAccessLevels: [30, 10, 30] }, now);
  expect(message.targetAccessLevels).toEqual([10, 30]);
  expect(decideUpdate(message, { broadcastType: 'notification' })).toMatchObject({ theme: 'indigo' });
  expect(() => decideUpdate(message, { endsAt: at(-1) })).toThrow();
  expect(decideUpdate(message, { font: '#abc' })).toEqual({ ...message, font: '#abc' });
});

test('a message is active from its beginning to its end (G-4.13-4)', () => {
  const message = { startsAt: at(0), endsAt: at(10) };
  expect([-1, 0, 5, 10, 11].map((minute) => isActive(message, at(minute)))).toEqual([false, true, true, true, false]);
});
