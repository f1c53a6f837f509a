import type { CallContext } from '@switchyard/rpc';

/** A merge request as its owner shows it to the reader. */
export interface MergeRequestTarget {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  /** Its public representation, JSON. */
  readonly json: Buffer;
  readonly webUrl: string;
  readonly title: string;
}

/** For whom and within which request targets are asked for. */
export type Reader = Pick<CallContext, 'actor' | 'requestId'>;

/** The owner of merge requests. */
export interface MergeRequestTargets {
  /** Those of `ids` that the reader may read, by id: one call, none for no ids. */
  byIds(ids: readonly number[], reader: Reader, withSubscribed: boolean): Promise<Map<number, MergeRequestTarget>>;
  /** The merge request with a number. Fails with `not_found` when there is none that the reader may read. */
  find(projectId: number, iid: number, reader: Reader): Promise<MergeRequestTarget>;
}
