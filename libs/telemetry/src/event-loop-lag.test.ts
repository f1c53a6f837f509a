import { Registry } from 'prom-client';
import { measureEventLoopLag } from './event-loop-lag';
import { metrics } from './metrics';

const figureIn = (text: string, name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);

it('keeps every figure of the event loop that is documented, once', async () => {
  const text = await metrics.metrics();
  for (const figure of ['', 'min_', 'max_', 'mean_', 'stddev_', 'p50_', 'p90_', 'p99_']) {
    expect(text.match(new RegExp(`^# TYPE nodejs_eventloop_lag_${figure}seconds gauge$`, 'gm'))).toHaveLength(1);
  }
});

it('shows how late timers were since the last look, and not how far apart its samples are', async () => {
  const register = new Registry();
  measureEventLoopLag(register);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(figureIn(await register.metrics(), 'nodejs_eventloop_lag_min_seconds')).toBeLessThan(0.4);
  // The first tick after a look begins a sample, and ends none.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const until = performance.now() + 1_500;
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 600));
  const text = await register.metrics();
  expect(figureIn(text, 'nodejs_eventloop_lag_max_seconds')).toBeGreaterThan(0.5);
  // A read resets the samples.
  expect(figureIn(await register.metrics(), 'nodejs_eventloop_lag_max_seconds')).toBeLessThan(0.5);
});
