import { setTimeout as pause } from 'node:timers/promises';
import { repeat } from './repeat';

it('runs at once and again after each end, also after a failure, and never twice at a time', async () => {
  let [runs, atOnce, most] = [0, 0, 0];
  const repeating = repeat('a test', 1, async () => {
    runs += 1;
    atOnce += 1;
    most = Math.max(most, atOnce);
    await pause(2);
    atOnce -= 1;
    if (runs === 1) throw new Error('the first run fails');
  });
  expect(runs).toBe(1);
  while (runs < 3) await pause(1);
  await repeating.close();
  expect({ most, atOnce }).toEqual({ most: 1, atOnce: 0 });
  const ended = runs;
  await pause(10);
  expect(runs).toBe(ended);
});

it('aborts the current run at close, and waits for it', async () => {
  let ended = false;
  const repeating = repeat('a test', 60_000, async (stopping) => {
    while (!stopping.aborted) await pause(1);
    ended = true;
  });
  await repeating.close();
  expect(ended).toBe(true);
});

it('runs without its wait when asked, once for whatever was asked during a run', async () => {
  let runs = 0;
  let end = (): void => undefined;
  const repeating = repeat('a test', 60_000, async () => {
    runs += 1;
    await new Promise<void>((settle) => {
      end = settle;
    });
  });
  repeating.soon();
  repeating.soon();
  expect(runs).toBe(1);
  end();
  while (runs < 2) await pause(1);
  end();
  await pause(10);
  expect(runs).toBe(2);
  repeating.soon();
  while (runs < 3) await pause(1);
  end();
  await repeating.close();
  expect(runs).toBe(3);
});
