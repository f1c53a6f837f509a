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

it('holds transfers while a request is under way', () => {
  const way = giveWay(Date.now);
  const [sink, other] = [sinkOf(), sinkOf()];
  way.join(sink);
  const ends = [way.enter(), way.enter()];
  const leave = way.join(other);
  expect([sink.corked, other.corked]).toEqual([1, 1]);
  leave();
  leave();
  ends[0]?.();
  ends[0]?.();
  expect([sink.corked, other.corked]).toEqual([1, 0]);
  ends[1]?.();
  expect(sink.corked).toBe(0);
});

it('lets transfers move half of the time, however long requests take and however many come', () => {
  const way = giveWay(Date.now);
  const sink = sinkOf();
  way.join(sink);
  const end = way.enter();
  const held: number[] = [];
  for (let ms = 0; ms < 40; ms += 1, jest.advanceTimersByTime(1)) held.push(sink.corked);
  expect(held).toEqual([0, 1, 2, 3].flatMap((turn) => Array.from({ length: 10 }, () => 1 - (turn % 2))));
  jest.advanceTimersByTime(300);
  // It takes too long to be waited for.
  expect([sink.corked, jest.getTimerCount()]).toEqual([0, 0]);
  end();

  let stood = 0;
  for (let ms = 0; ms < 100; ms += 2) {
    const leave = way.enter();
    jest.advanceTimersByTime(1);
    stood += sink.corked;
    leave();
    way.enter()();
    jest.advanceTimersByTime(1);
  }
  expect(stood).toBeGreaterThan(20);
  expect(sink.corked).toBe(0);
});

it('has no timer without transfers', () => {
  const way = giveWay(Date.now);
  way.enter()();
  way.join(sinkOf())();
  way.enter();
  expect(jest.getTimerCount()).toBe(0);
});
