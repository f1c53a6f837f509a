import type { PageInfo, PageRequest } from '@switchyard/database';
import type { ResourceEvent, ResourceEventKind } from '@switchyard/directory';
import { notFound } from '@switchyard/errors';
import type { MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';
import { viewOf } from './view-of';

/** What became of the state, the labels and the milestone of merge requests. */
export interface MergeRequestEventStore {
  page(
    mergeRequestId: number,
    kind: ResourceEventKind,
    request: PageRequest,
  ): Promise<{ rows: ResourceEvent[]; page: PageInfo }>;
  find(mergeRequestId: number, kind: ResourceEventKind, id: number): Promise<ResourceEvent | undefined>;
}

type Key = { readonly projectId: number; readonly iid: number };

/** One page of the events of a kind, oldest first. @throws AppError not_found */
export const listMergeRequestEvents =
  (edges: Pick<MergeRequestEdges, 'mergeRequests'>, events: MergeRequestEventStore) =>
  async (
    key: Key,
    kind: ResourceEventKind,
    request: PageRequest,
  ): Promise<{ view: MergeRequestView; rows: ResourceEvent[]; page: PageInfo }> => {
    const view = await viewOf(edges, key);
    return { view, ...(await events.page(view.mergeRequest.id, kind, request)) };
  };

/** One event. @throws AppError not_found */
export const readMergeRequestEvent =
  (edges: Pick<MergeRequestEdges, 'mergeRequests'>, events: MergeRequestEventStore) =>
  async (key: Key, kind: ResourceEventKind, id: number): Promise<{ view: MergeRequestView; event: ResourceEvent }> => {
    const view = await viewOf(edges, key);
    const event = await events.find(view.mergeRequest.id, kind, id);
    if (event === undefined) throw notFound();
    return { view, event };
  };
