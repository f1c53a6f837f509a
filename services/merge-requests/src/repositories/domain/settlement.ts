import type { DefaultProtection } from './default-protection';
import { branchOf, creates, deletes, type PushFacts, type RefChange, type Settlement } from './ref-change';

/** The branch that becomes the default of a repository that had none, and how it is protected. */
export interface NewDefault {
  readonly branch: string;
  readonly protection: DefaultProtection;
}

/** A move of a ref that is published. */
export interface PublishedMove {
  readonly change: RefChange;
  readonly facts: PushFacts;
  /** Moves of the same kind in the push, this one included: the feed shows many of one kind as one (G-4.8-7). */
  readonly refCount: number;
}

/** What is recorded of the intents of a push. */
export interface SettlementDecision {
  readonly settledIds: readonly number[];
  readonly movedIds: readonly number[];
  readonly movesBranch: boolean;
  readonly published: readonly PublishedMove[];
}

const kindOf = (change: RefChange): string =>
  `${branchOf(change.ref) === undefined} ${creates(change)} ${deletes(change)}`;

/** Decides what is recorded and published of settled intents. */
export function decideSettlement(settlements: readonly Settlement[]): SettlementDecision {
  const moved = settlements.filter((settlement) => settlement.moved);
  const published = moved.flatMap(({ change, facts }) => (facts === undefined ? [] : [{ change, facts }]));
  const counts = new Map<string, number>();
  for (const { change } of published) counts.set(kindOf(change), (counts.get(kindOf(change)) ?? 0) + 1);
  return {
    settledIds: settlements.map(({ change }) => change.id),
    movedIds: moved.map(({ change }) => change.id),
    movesBranch: moved.some(({ change }) => branchOf(change.ref) !== undefined),
    published: published.map((move) => ({ ...move, refCount: counts.get(kindOf(move.change)) ?? 1 })),
  };
}
