import { type Repeating, repeat } from '@switchyard/background';
import type { EpicDates } from './epic-dates.ports';

/** Milliseconds between two looks at the directory, which is in memory. */
const interval = 200;

/** Milliseconds between two looks for marks that nothing has announced. */
const unannounced = 10_000;

/** Epics of one round, and milestones. */
const batch = 1_000;

/** Computes the dates of all epics that are marked; returns how many dates were others. */
export async function computeEpicDates(dates: EpicDates, stopping?: AbortSignal): Promise<number> {
  let changed = 0;
  while (stopping?.aborted !== true) {
    const marks = await dates.work(batch);
    if (marks.length === 0) break;
    changed += await dates.compute(marks.map(({ id }) => id));
    await dates.done(marks);
  }
  return changed;
}

/** Keeps the inherited dates of epics right: when milestones, issues or epics have changed, within a second. */
export function keepEpicDates(dates: EpicDates, directory: { sequence(): number }): Repeating {
  let seen: number | undefined;
  let woken = true;
  let lookedAt = 0;
  const unlisten = dates.onWork(() => {
    woken = true;
  });
  const job = repeat('the dates of epics', interval, async (stopping) => {
    const sequence = directory.sequence();
    const due = woken || sequence !== seen || Date.now() - lookedAt > unannounced;
    if (!due) return;
    woken = false;
    try {
      if (sequence !== seen) while (!stopping.aborted && (await dates.followMilestones(batch)) === batch);
      await computeEpicDates(dates, stopping);
    } catch (error) {
      woken = true;
      throw error;
    }
    seen = sequence;
    lookedAt = Date.now();
  });
  const close = async (): Promise<void> => {
    unlisten();
    await job.close();
  };
  return { soon: job.soon, close };
}
