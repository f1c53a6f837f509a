import type { RequestCount, RequestSum } from '../domain/request-count';

/** Counters that gateways share (ADR 77). */
export type RequestCounts = {
  /** Adds to counters, each named once, and returns their sums in the same order. */
  add(counts: readonly RequestCount[]): Promise<RequestSum[]>;
  /** Deletes those whose window has ended. */
  prune(): Promise<void>;
};
