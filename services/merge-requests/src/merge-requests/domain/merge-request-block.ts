import { invalid } from '@switchyard/errors';

/** A merge request waits for another one. */
export interface MergeRequestBlock {
  readonly id: number;
  /** Which is merged first. */
  readonly blockingId: number;
  /** Which waits. */
  readonly blockedId: number;
}

/** How many others a merge request waits for at the most. */
export const maxBlocks = 100;

/** Merge requests that are read to find out whether a block would close a cycle. */
export const maxChain = 10_000;

/**
 * Whether a merge request may wait for another one.
 * @param waitsFor ids of what the other one waits for, directly and over others, up to one more than `maxChain`
 * @param blocks how many blocks it has
 * @throws AppError invalid when it would wait for itself, or for too many
 */
export function requireNoCycle(
  { blockingId, blockedId }: Pick<MergeRequestBlock, 'blockingId' | 'blockedId'>,
  { waitsFor, blocks }: { readonly waitsFor: ReadonlySet<number>; readonly blocks: number },
): void {
  const refused = (reason: string) => invalid({ blocking_merge_request: [reason] });
  if (blockingId === blockedId) throw refused('cannot be the merge request itself');
  if (waitsFor.has(blockedId)) throw refused('depends on this merge request');
  if (waitsFor.size > maxChain) throw refused('depends on too many merge requests');
  if (blocks >= maxBlocks) throw invalid({ base: [`A merge request depends on at most ${maxBlocks} others`] });
}
