interface Planned {
  readonly at: number;
  /** Of two things at one time, the one that was planned first happens first. */
  readonly order: number;
  readonly happen: () => void;
}

/** The time of a simulation, in milliseconds from its start, and what is planned. */
export interface SimulatedClock {
  readonly now: () => number;
  /** Plans something; not before now. */
  readonly plan: (at: number, happen: () => void) => void;
  /** When the next thing happens; undefined when nothing is planned. */
  readonly nextAt: () => number | undefined;
  /** Makes the next thing happen, and its time now. */
  readonly advance: () => void;
}

const before = (a: Planned, b: Planned): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function pushed(heap: Planned[], item: Planned): void {
  let at = heap.push(item) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] as Planned;
    if (!before(item, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = item;
}

function popped(heap: Planned[]): Planned | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Planned, heap[child] as Planned)) child += 1;
    if (!before(heap[child] as Planned, last)) break;
    heap[at] = heap[child] as Planned;
    at = child;
  }
  heap[at] = last;
  return top;
}

/** A clock that stands at 0, with nothing planned: a binary heap, so that long queues stay cheap. */
export function simulatedClock(): SimulatedClock {
  const heap: Planned[] = [];
  let now = 0;
  let order = 0;
  return {
    now: () => now,
    plan(at, happen) {
      order += 1;
      pushed(heap, { at: Math.max(at, now), order, happen });
    },
    nextAt: () => heap[0]?.at,
    advance() {
      const next = popped(heap);
      if (next === undefined) return;
      now = next.at;
      next.happen();
    },
  };
}
