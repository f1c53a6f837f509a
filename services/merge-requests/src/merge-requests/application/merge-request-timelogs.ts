import type { PageInfo, PageRequest } from '@switchyard/database';
import { mayDeleteTimelog, type Timelog } from '@switchyard/directory';
import { forbidden, notFound } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { decideTimelogRemoval } from '../domain/time-change';
import type { MergeRequestEdges } from './merge-request.edges';
import { viewOf } from './view-of';

/** Entries of time spent on merge requests. */
export interface MergeRequestTimelogStore {
  page(mergeRequestId: number, request: PageRequest): Promise<{ rows: Timelog[]; page: PageInfo }>;
  find(mergeRequestId: number, id: number): Promise<Timelog | undefined>;
}

type Key = { readonly projectId: number; readonly iid: number };

/** One page of the entries of a merge request, the latest day first. @throws AppError not_found */
export const listMergeRequestTimelogs =
  (edges: Pick<MergeRequestEdges, 'mergeRequests'>, timelogs: MergeRequestTimelogStore) =>
  async (key: Key, request: PageRequest): Promise<{ rows: Timelog[]; page: PageInfo }> => {
    const { mergeRequest } = await viewOf(edges, key);
    return timelogs.page(mergeRequest.id, request);
  };

/**
 * Deletes an entry of time and takes it out of the time spent, together.
 * @throws AppError not_found, also when someone else deletes it at the same time; forbidden; invalid
 */
export const deleteMergeRequestTimelog =
  (edges: Pick<MergeRequestEdges, 'mergeRequests'>, timelogs: MergeRequestTimelogStore) =>
  async (caller: Caller, key: Key, timelogId: number): Promise<void> => {
    const { mergeRequest } = await viewOf(edges, key);
    const log = await timelogs.find(mergeRequest.id, timelogId);
    if (log === undefined) throw notFound();
    if (!mayDeleteTimelog(caller, log)) throw forbidden();
    try {
      await edges.mergeRequests.change(mergeRequest.id, caller.userId, (locked) =>
        decideTimelogRemoval(locked, log, caller.userId),
      );
    } catch (error) {
      // Someone else deleted it first, so that the time spent has no room for it any more.
      if ((await timelogs.find(mergeRequest.id, timelogId)) === undefined) throw notFound();
      throw error;
    }
  };
