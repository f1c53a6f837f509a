import type { CallContext } from '@switchyard/rpc';

/** For whom and within which request merge requests are asked for. */
export type MergeRequestReader = Pick<CallContext, 'actor' | 'requestId'>;

/** Merge requests as their owner shows them to a reader whose rights it checks. */
export interface ShownMergeRequests {
  /** Public JSON of those of `ids` that the reader may read, by id: one call, none for no ids. */
  byIds(
    ids: readonly number[],
    reader: MergeRequestReader,
    withSubscribed: boolean,
  ): Promise<ReadonlyMap<number, { readonly json: Buffer }>>;
  /** Fails with `not_found` when the project has no merge request of this number that the reader may read. */
  find(projectId: number, iid: number, reader: MergeRequestReader): Promise<unknown>;
}
