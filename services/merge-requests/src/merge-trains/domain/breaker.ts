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
  // In the order in which they would leave: what is behind a third one does not excuse it.
  const row = [...train.streak, ...due];
  return [...new Set(due.flatMap((_, at) => namesInRow(row.slice(0, train.streak.length + at + 1))))].sort();
}

/** The names of the last failure for which enough merge requests have failed without another one in between. */
function namesInRow(row: Train['streak']): string[] {
  return (row.at(-1)?.names ?? []).filter((name) => {
    const end = row.findLastIndex(({ names }) => !names.includes(name));
    return new Set(row.slice(end + 1).map(({ mergeRequestId }) => mergeRequestId)).size >= breakerLimit;
  });
}
