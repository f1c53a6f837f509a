import { type Leave, waitingRoom } from './waiting-room';

const unavailable = { kind: 'unavailable', retryAfter: expect.any(Number) };

/** A room with a clock of its own. */
function rig(options: Partial<Parameters<typeof waitingRoom>[0]> = {}) {
  const clock = { now: 0 };
  const room = waitingRoom({ places: 1, seats: 3, now: () => clock.now, ...options });
  /** Enters and notes what becomes of it. */
  const visit = (signal?: AbortSignal, owner?: string) => {
    const visitor = { state: 'waits', leave: (() => undefined) as Leave, error: undefined as unknown };
    const entered = room.enter({ signal, owner }).then(
      (leave) => Object.assign(visitor, { state: 'works', leave }),
      (error) => Object.assign(visitor, { state: 'refused', error }),
    );
    return { visitor, entered };
  };
  return { clock, room, visit };
}

it('lets as many work as there are places, and the others in the order they came', async () => {
  const { room, visit } = rig({ places: 2 });
  const [one, two, three, four] = [visit(), visit(), visit(), visit()];
  await Promise.all([one.entered, two.entered]);
  expect([room.running(), room.waiting()]).toEqual([2, 2]);
  two.visitor.leave();
  two.visitor.leave();
  await three.entered;
  expect(four.visitor.state).toBe('waits');
  expect([room.running(), room.waiting()]).toEqual([2, 1]);
  one.visitor.leave();
  three.visitor.leave();
  await four.entered;
  four.visitor.leave();
  expect([room.running(), room.waiting()]).toEqual([0, 0]);
});

it('refuses at once who finds no seat', async () => {
  const { room, visit } = rig({ seats: 1 });
  const working = visit();
  await working.entered;
  const waiting = visit();
  expect(room.isFull()).toBe(true);
  const refused = visit();
  await refused.entered;
  expect(refused.visitor.error).toMatchObject(unavailable);
  working.visitor.leave();
  await waiting.entered;
  expect(waiting.visitor.state).toBe('works');
  waiting.visitor.leave();
});

it('lets a burst wait long, and is short with those who come while the queue stands', async () => {
  const { clock, visit } = rig({ patienceMs: 8_000, standingPatienceMs: 1_000 });
  const working = visit();
  await working.entered;
  const early = visit();
  clock.now = 7_900;
  const late = visit();
  working.visitor.leave();
  await early.entered;
  expect(early.visitor.state).toBe('works');
  clock.now = 8_950;
  early.visitor.leave();
  await late.entered;
  expect(late.visitor.error).toMatchObject(unavailable);
});

it('refuses who has waited too long although nobody leaves', async () => {
  const { clock, room, visit } = rig();
  const working = visit();
  await working.entered;
  const waiting = visit();
  clock.now = 8_001;
  await waiting.entered;
  expect(waiting.visitor.error).toMatchObject(unavailable);
  expect(room.waiting()).toBe(0);
  working.visitor.leave();
});

it('gives the seat of a caller that has gone to others', async () => {
  const { room, visit } = rig({ seats: 1 });
  const working = visit();
  await working.entered;
  const caller = new AbortController();
  const gone = visit(caller.signal);
  caller.abort();
  await gone.entered;
  expect(gone.visitor.state).toBe('refused');
  expect(room.isFull()).toBe(false);
  working.visitor.leave();
  expect(room.running()).toBe(0);
});

it('takes the place back from work that fails', async () => {
  const { room } = rig();
  await expect(room.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await room.run(async () => room.running())).toBe(1);
  expect(room.running()).toBe(0);
});

it('gives the next place to who has the fewest', async () => {
  const { room, visit } = rig({ places: 2, seats: 10 });
  const flood = Array.from({ length: 5 }, () => visit(undefined, 'flood'));
  const other = visit(undefined, 'other');
  await flood[0]?.entered;
  flood[0]?.visitor.leave();
  await other.entered;
  expect(flood.map(({ visitor }) => visitor.state)).toEqual(['works', 'works', 'waits', 'waits', 'waits']);
  // Of two who have none, the first to come.
  const [late, later] = [visit(undefined, 'late'), visit(undefined, 'later')];
  other.visitor.leave();
  await late.entered;
  expect([later.visitor.state, room.waiting()]).toEqual(['waits', 4]);
});

it('leaves half of the seats to others', async () => {
  const { visit } = rig({ seats: 4 });
  await visit(undefined, 'flood').entered;
  const [one, two, three] = [visit(undefined, 'flood'), visit(undefined, 'flood'), visit(undefined, 'flood')];
  await three.entered;
  const other = visit(undefined, 'other');
  await Promise.resolve();
  expect([one, two, three, other].map(({ visitor }) => visitor.state)).toEqual(['waits', 'waits', 'refused', 'waits']);
});
