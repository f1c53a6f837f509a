import { giveWay } from './give-way';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A sink that knows how often it is corked. */
function sinkOf() {
  const sink = {
    corked: 0,
    cork() {
      sink.corked += 1;
    },
    uncork() {
      sink.corked -= 1;
    },
  };
  return sink;
}

/** A process that waits for a processor for a share of the time while its transfers move. */
function machine(share: number | undefined) {
  const sink = sinkOf();
  const one = { share, waited: 0, moved: 0, passed: 0 };
  const way = giveWay({ now: Date.now, waited: () => (one.share === undefined ? undefined : one.waited) });
  const pass = (ms: number, requestEvery = 50): number => {
    const before = one.moved;
    for (let at = 0; at < ms; at += 1) {
      if (at % requestEvery === 0) way.answered();
      jest.advanceTimersByTime(1);
      if (sink.corked > 0) continue;
      one.moved += 1;
      one.waited += one.share ?? 0;
    }
    return (one.moved - before) / ms;
  };
  return { one, sink, way, pass };
}

it('has transfers rest more and more while requests come and processors are short, and no longer than it must', () => {
  const { one, sink, way, pass } = machine(0.5);
  const leave = way.join(sink);
  expect(pass(100)).toBeGreaterThan(0.7);
  pass(2_000);
  expect(pass(2_000)).toBeLessThan(0.25);
  expect(pass(2_000)).toBeGreaterThan(0.1);
  one.share = 0;
  pass(2_000);
  expect(pass(1_000)).toBe(1);
  leave();
  leave();
  jest.advanceTimersByTime(1_000);
  expect([sink.corked, jest.getTimerCount()]).toEqual([0, 0]);
});

it('leaves transfers alone when no other requests come', () => {
  const { sink, way, pass } = machine(0.9);
  way.join(sink);
  pass(1_000);
  jest.advanceTimersByTime(600);
  expect([sink.corked, jest.getTimerCount()]).toEqual([0, 0]);
});

it('leaves transfers alone where the system does not say how long a process waits', () => {
  const { sink, way, pass } = machine(undefined);
  way.join(sink);
  expect(pass(1_000)).toBe(1);
});

it('holds a transfer that begins during a rest, and lets one go that ends in it', () => {
  const { sink, way, pass } = machine(0.5);
  way.join(sink);
  for (let ms = 0; ms < 2_000 && sink.corked === 0; ms += 1) pass(1);
  const other = sinkOf();
  const leave = way.join(other);
  expect([sink.corked, other.corked]).toEqual([1, 1]);
  leave();
  expect(other.corked).toBe(0);
});

it('has no timer without transfers', () => {
  const { way } = machine(0.5);
  way.answered();
  way.join(sinkOf())();
  way.answered();
  expect(jest.getTimerCount()).toBe(0);
});
