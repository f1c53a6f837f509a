import { housekeeping } from './housekeeping';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('jobs run round after round, one that fails included, until closed', async () => {
  const ran: string[] = [];
  const work = housekeeping({
    failing: async () => {
      ran.push('failing');
      throw new Error('no luck');
    },
    steady: async () => ran.push('steady'),
  });
  work.start();
  await jest.advanceTimersByTimeAsync(4_000);
  expect(ran).toEqual(['failing', 'steady', 'failing', 'steady']);
  await work.close();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(ran).toHaveLength(4);
});

test('closing tells the job in hand and waits for it', async () => {
  let finished = false;
  const work = housekeeping({
    long: (signal) =>
      new Promise<void>((settle) => {
        signal.addEventListener('abort', () => {
          finished = true;
          settle();
        });
      }),
    never: () => Promise.reject(new Error('a job after the end')),
  });
  work.start();
  await jest.advanceTimersByTimeAsync(2_000);
  await work.close();
  expect(finished).toBe(true);
});
