import { unauthorized, unavailable } from '@switchyard/errors';
import { accessChecks } from './access-checks';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const pause = (ms: number) => jest.advanceTimersByTimeAsync(ms);

const times = { everyMs: 40, retryMs: 10, stepMs: 5, validMs: 90 };

/** Checks whose answer a test sets. */
function scene(given = times) {
  const state = { asked: 0, answer: async (): Promise<void> => undefined };
  const checks = accessChecks(given);
  const lost: string[] = [];
  const watch = (who: string, name = 'token') =>
    checks.watch(
      {
        name,
        ask: () => {
          state.asked += 1;
          return state.answer();
        },
      },
      () => lost.push(who),
    );
  return { state, checks, lost, watch };
}

it('asks one question for all readers of a token, and ends them together (D3)', async () => {
  // A refusal ends them at once, not when the last answer is too old.
  const { state, checks, lost, watch } = scene({ ...times, validMs: 10_000 });
  for (let n = 0; n < 20; n += 1) watch(`reader ${n}`);
  watch('another', 'another token');
  expect(checks.running()).toBe(2);
  await pause(100);
  expect(state.asked).toBeGreaterThanOrEqual(2);
  expect(state.asked).toBeLessThanOrEqual(6);
  expect(lost).toEqual([]);
  state.answer = async () => {
    throw unauthorized();
  };
  await pause(100);
  expect(lost).toHaveLength(21);
  expect(checks.running()).toBe(0);
  const { asked } = state;
  await pause(100);
  expect(state.asked).toBe(asked);
});

it('an authority that is away for a moment ends no stream; one that stays away, or hangs, ends them in time', async () => {
  const { state, lost, watch } = scene();
  watch('reader');
  state.answer = async () => {
    throw unavailable();
  };
  await pause(60);
  expect(state.asked).toBeGreaterThan(1);
  state.answer = async () => undefined;
  await pause(60);
  expect(lost).toEqual([]);
  state.answer = () => new Promise(() => undefined);
  await pause(200);
  expect(lost).toEqual(['reader']);
  watch('refused at once');
  state.answer = async () => {
    throw unavailable();
  };
  await pause(200);
  expect(lost).toEqual(['reader', 'refused at once']);
});

it('nothing is asked for readers who have left', async () => {
  const { state, checks, lost, watch } = scene();
  const [one, two] = [watch('one'), watch('two')];
  one();
  expect(checks.running()).toBe(1);
  two();
  two();
  expect(checks.running()).toBe(0);
  await pause(100);
  expect([state.asked, lost]).toEqual([0, []]);
});
