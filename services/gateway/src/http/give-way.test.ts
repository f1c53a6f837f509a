import { EventEmitter } from 'node:events';
import { giveWay } from './give-way';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A sink that knows how often it is corked, and how often it let out what it held; one that is stalled never does. */
function sinkOf({ stalled = false } = {}) {
  const events = new EventEmitter();
  const sink = {
    corked: 0,
    portions: 0,
    on: events.on.bind(events) as never,
    off: events.off.bind(events) as never,
    cork() {
      sink.corked += 1;
    },
    uncork() {
      sink.corked -= 1;
      if (stalled) return;
      sink.portions += 1;
      events.emit('drain');
    },
  };
  return sink;
}

/** A process that waits for a processor for a share of the time, in which another request is answered at times. */
function machine(share: number | undefined) {
  const one = { share, waited: 0 };
  const way = giveWay({ now: Date.now, waited: () => (one.share === undefined ? undefined : one.waited) });
  const pass = (ms: number, requestEvery = 50): void => {
    for (let at = 0; at < ms; at += 1) {
      if (at % requestEvery === 0) way.answered();
      jest.advanceTimersByTime(1);
      one.waited += one.share ?? 0;
    }
  };
  return { one, way, pass };
}

it('has transfers move by portions while requests come and processors are short, and lets them go when they are not', () => {
  const { one, way, pass } = machine(0.5);
  const sink = sinkOf();
  const leave = way.join(sink);
  pass(40);
  expect(sink.corked).toBe(0);
  pass(1_000);
  const portionsOf = (ms: number) => {
    const before = sink.portions;
    pass(ms);
    return sink.portions - before;
  };
  expect(portionsOf(400)).toBe(80);
  one.share = 0;
  pass(1_000);
  expect(portionsOf(100)).toBe(100);
  expect(sink.corked).toBe(1);
  pass(5_000);
  expect(sink.corked).toBe(0);
  leave();
  leave();
  jest.advanceTimersByTime(1_000);
  expect([sink.corked, jest.getTimerCount()]).toEqual([0, 0]);
});

it('gives each of many transfers a share of its own', () => {
  const { way, pass } = machine(0.5);
  const sinks = Array.from({ length: 40 }, sinkOf);
  for (const sink of sinks) way.join(sink);
  pass(1_000);
  for (const sink of sinks) sink.portions = 0;
  // Three of 40 every 5 ms.
  pass(200);
  expect(sinks.reduce((all, { portions }) => all + portions, 0)).toBe(120);
  expect(new Set(sinks.map(({ portions }) => portions))).toEqual(new Set([3]));
});

it('passes by transfers whose receivers take nothing', () => {
  const { way, pass } = machine(0.5);
  const sink = sinkOf();
  for (let count = 0; count < 40; count += 1) way.join(sinkOf({ stalled: true }));
  way.join(sink);
  pass(1_000);
  sink.portions = 0;
  pass(400);
  expect(sink.portions).toBe(80);
});

it('leaves transfers alone when no other requests come', () => {
  const { way, pass } = machine(0.9);
  const sink = sinkOf();
  way.join(sink);
  pass(1_000);
  expect(sink.corked).toBe(1);
  jest.advanceTimersByTime(600);
  expect([sink.corked, jest.getTimerCount()]).toEqual([0, 0]);
});

it('leaves transfers alone where the system does not say how long a process waits', () => {
  const { way, pass } = machine(undefined);
  const sink = sinkOf();
  way.join(sink);
  pass(1_000);
  expect([sink.corked, sink.portions]).toEqual([0, 0]);
});

it('holds a transfer that begins meanwhile, and lets one go that ends', () => {
  const { way, pass } = machine(0.5);
  way.join(sinkOf());
  pass(1_000);
  const other = sinkOf();
  const leave = way.join(other);
  expect(other.corked).toBe(1);
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
