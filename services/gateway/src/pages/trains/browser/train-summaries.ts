import type { Api } from './api.ts';
import type { Entry } from './representations.ts';

/** A train of a project, as its list shows it. */
export interface TrainSummary {
  readonly branch: string;
  readonly cars: number;
  /** Not all entries were read. */
  readonly isAtLeast: boolean;
  /** When its newest landing was. */
  readonly landedAt: string | undefined;
}

/** Pages of 100 entries that are read: a project rarely has more. */
const maxPages = 5;

/** The trains of a project: those with entries, and those that landed one of the last hundred. */
export async function readSummaries(api: Api, projectId: number, signal: AbortSignal): Promise<TrainSummary[]> {
  const list = `/projects/${projectId}/merge_trains?per_page=100&scope=`;
  const landed = await api.get<Entry[]>(`${list}complete`, signal);
  const active: Entry[] = [];
  let next = '1';
  for (let page = 0; page < maxPages && next !== ''; page += 1) {
    const { body, headers } = await api.get<Entry[]>(`${list}active&page=${next}`, signal);
    active.push(...body);
    next = headers.get('X-Next-Page') ?? '';
  }
  return summaries(active, landed.body, next !== '');
}

/** Entries by their branch, the busiest first. */
export function summaries(active: readonly Entry[], landed: readonly Entry[], isAtLeast: boolean): TrainSummary[] {
  const found = new Map<string, { cars: number; landedAt: string | undefined }>();
  const of = (branch: string) => {
    const one = found.get(branch) ?? { cars: 0, landedAt: undefined };
    found.set(branch, one);
    return one;
  };
  for (const { target_branch } of active) of(target_branch).cars += 1;
  for (const { target_branch, merged_at } of landed) {
    const one = of(target_branch);
    if (merged_at !== null && merged_at > (one.landedAt ?? '')) one.landedAt = merged_at;
  }
  return [...found]
    .map(([branch, one]) => ({ branch, ...one, isAtLeast }))
    .sort((one, other) => other.cars - one.cars || one.branch.localeCompare(other.branch));
}
