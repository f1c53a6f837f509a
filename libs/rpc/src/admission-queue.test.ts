import { admissionQueue, type Release } from './admission-queue';

const unavailable = { kind: 'unavailable', retryAfter: expect.any(Number) };

/** A queue with a clock of its own. */
function harness(options: Partial<Parameters<typeof admissionQueue>[0]> = {}) {
  const clock = { now: 0 };
  const queue = admissionQueue({ slots: 1, maxWaiting: 3, now: () => clock.now, ...options });
  /** Requests a slot and records the result. */
  const request = (signal?: AbortSignal, owner?: string) => {
    const ticket = { state: 'waits', release: (() => undefined) as Release, error: undefined as unknown };
    const entered = queue.enter({ signal, owner }).then(
      (release) => Object.assign(ticket, { state: 'works', release }),
      (error) => Object.assign(ticket, { state: 'refused', error }),
    );
    return { ticket, entered };
  };
  return { clock, queue, request };
}

it('runs as much work as there are slots, the rest in order of arrival', async () => {
  const { queue, request } = harness({ slots: 2 });
  const [one, two, three, four] = [request(), request(), request(), request()];
  await Promise.all([one.entered, two.entered]);
  expect([queue.running(), queue.waiting()]).toEqual([2, 2]);
  two.ticket.release();
  two.ticket.release();
  await three.entered;
  expect(four.ticket.state).toBe('waits');
  expect([queue.running(), queue.waiting()]).toEqual([2, 1]);
  one.ticket.release();
  three.ticket.release();
  await four.entered;
  four.ticket.release();
  expect([queue.running(), queue.waiting()]).toEqual([0, 0]);
});

it('refuses at once when too many wait', async () => {
  const { queue, request } = harness({ maxWaiting: 1 });
  const working = request();
  await working.entered;
  const waiting = request();
  expect(queue.isFull()).toBe(true);
  const refused = request();
  await refused.entered;
  expect(refused.ticket.error).toMatchObject(unavailable);
  working.ticket.release();
  await waiting.entered;
  expect(waiting.ticket.state).toBe('works');
  waiting.ticket.release();
});

it('lets a burst wait long, and has a short timeout while the queue lasts', async () => {
  const { clock, request } = harness({ timeoutMs: 8_000, overloadTimeoutMs: 1_000 });
  const working = request();
  await working.entered;
  const early = request();
  clock.now = 7_900;
  const late = request();
  working.ticket.release();
  await early.entered;
  expect(early.ticket.state).toBe('works');
  clock.now = 8_950;
  early.ticket.release();
  await late.entered;
  expect(late.ticket.error).toMatchObject(unavailable);
});

it('refuses after the timeout, also while no slot is released', async () => {
  const { clock, queue, request } = harness();
  const working = request();
  await working.entered;
  const waiting = request();
  clock.now = 8_001;
  await waiting.entered;
  expect(waiting.ticket.error).toMatchObject(unavailable);
  expect(queue.waiting()).toBe(0);
  working.ticket.release();
});

it('drops the ticket of a caller that has disconnected', async () => {
  const { queue, request } = harness({ maxWaiting: 1 });
  const working = request();
  await working.entered;
  const caller = new AbortController();
  const aborted = request(caller.signal);
  caller.abort();
  await aborted.entered;
  expect(aborted.ticket.state).toBe('refused');
  expect(queue.isFull()).toBe(false);
  working.ticket.release();
  expect(queue.running()).toBe(0);
});

it('frees the slot of work that fails', async () => {
  const { queue } = harness();
  await expect(queue.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await queue.run(async () => queue.running())).toBe(1);
  expect(queue.running()).toBe(0);
});

it('gives the next slot to the owner with the fewest', async () => {
  const { queue, request } = harness({ slots: 2, maxWaiting: 10 });
  const flood = Array.from({ length: 5 }, () => request(undefined, 'flood'));
  const other = request(undefined, 'other');
  await flood[0]?.entered;
  flood[0]?.ticket.release();
  await other.entered;
  expect(flood.map(({ ticket }) => ticket.state)).toEqual(['works', 'works', 'waits', 'waits', 'waits']);
  // Of two owners without one, the first to arrive.
  const [late, later] = [request(undefined, 'late'), request(undefined, 'later')];
  other.ticket.release();
  await late.entered;
  expect([later.ticket.state, queue.waiting()]).toEqual(['waits', 4]);
});

it('leaves half of the queue to other owners', async () => {
  const { request } = harness({ maxWaiting: 4 });
  await request(undefined, 'flood').entered;
  const [one, two, three] = [request(undefined, 'flood'), request(undefined, 'flood'), request(undefined, 'flood')];
  await three.entered;
  const other = request(undefined, 'other');
  await Promise.resolve();
  expect([one, two, three, other].map(({ ticket }) => ticket.state)).toEqual(['waits', 'waits', 'refused', 'waits']);
});

it('gives one owner no more slots than its share, and others theirs at once', async () => {
  const { queue, request } = harness({ slots: 3, slotsOfOwner: 2, maxWaiting: 20 });
  const flood = Array.from({ length: 6 }, () => request(undefined, 'flood'));
  await flood[1]?.entered;
  expect(flood.map(({ ticket }) => ticket.state)).toEqual(['works', 'works', 'waits', 'waits', 'waits', 'waits']);
  const other = request(undefined, 'other');
  await other.entered;
  expect([other.ticket.state, queue.running()]).toEqual(['works', 3]);
  const late = request(undefined, 'late');
  other.ticket.release();
  await late.entered;
  expect([late.ticket.state, flood[2]?.ticket.state]).toEqual(['works', 'waits']);
  flood[0]?.ticket.release();
  await flood[2]?.entered;
  expect(flood.map(({ ticket }) => ticket.state).slice(2)).toEqual(['works', 'waits', 'waits', 'waits']);
});
