import type { Train } from './merge-train';
import { awaitsRerun, groupsOf } from './merge-train-chain';

/** Merge requests in a row that fail for one name before a train takes its target branch for the cause. */
export const breakerLimit = 3;

/**
 * The names for which as many different merge requests in a row have left, or would leave now: then no more leave for
 * them, because it is more likely that the target branch, or what it is tested with, fails (D8). Empty below the limit.
 */
export function namesThatStop(train: Train): string[] {
  const due: Train['streak'][number][] = [];
  for (const group of groupsOf(train.cars)) {
    const [car] = group;
    if (group.length !== 1 || car?.status !== 'fresh' || car.build?.onto !== train.base) continue;
    if (car.build?.verdict !== 'failed' || awaitsRerun(train, car)) continue;
    due.push({ mergeRequestId: car.mergeRequestId, names: car.build.failedNames });
  }
  if (due.length === 0) return [];
  const row = [...train.streak, ...due];
  const common = (name: string): boolean => {
    const failing = new Set<number>();
    for (const { mergeRequestId, names } of row.toReversed()) {
      if (!names.includes(name)) break;
      failing.add(mergeRequestId);
      if (failing.size >= breakerLimit) return true;
    }
    return false;
  };
  return [...new Set(row.at(-1)?.names ?? [])].filter(common).sort();
}
