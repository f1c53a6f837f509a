/** Milliseconds for which a train has a timer of its own: what is due later the sweep finds early enough. */
const nearMs = 8_000;

/** Timers that wake trains. They are lost with the process: the sweep finds what they would have woken. */
export interface TrainTimers {
  wakeAt(trainId: number, at: Date): void;
  close(): void;
}

/**
 * Wakes trains at times that are near, one timer for each at most: a pipeline that settles in two seconds must not wait
 * for the next sweep.
 */
export function trainTimers(wake: (trainId: number) => void, clock: () => Date): TrainTimers {
  const timers = new Map<number, NodeJS.Timeout>();
  return {
    wakeAt(trainId, at) {
      clearTimeout(timers.get(trainId));
      timers.delete(trainId);
      const after = at.getTime() - clock().getTime();
      if (after > nearMs) return;
      const timer = setTimeout(() => {
        timers.delete(trainId);
        wake(trainId);
      }, Math.max(0, after) + 1);
      timers.set(trainId, timer.unref());
    },
    close() {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
