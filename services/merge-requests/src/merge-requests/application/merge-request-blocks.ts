import type { PageInfo, PageRequest } from '@switchyard/database';
import { forbidden, notFound } from '@switchyard/errors';
import type { Caller } from '../../callers';
import type { MergeRequestBlock } from '../domain/merge-request-block';
import { type MergeRequestView, mayUpdate } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';
import { viewOf } from './view-of';

/** Where blocks are kept; see storage/merge-request-block.store.ts. */
export interface BlockStore {
  list(
    of: { readonly blockedId: number } | { readonly blockingId: number },
    request: PageRequest,
  ): Promise<{ rows: MergeRequestBlock[]; page: PageInfo }>;
  find(blockedId: number, blockId: number): Promise<MergeRequestBlock | undefined>;
  add(block: Omit<MergeRequestBlock, 'id'>): Promise<MergeRequestBlock>;
  remove(block: MergeRequestBlock, unmodifiedSince: Date | undefined): Promise<void>;
}

/** A block, with the other merge request where the caller may read that. */
export interface BlockView {
  readonly block: MergeRequestBlock;
  /** Project of the merge request that waits; undefined where that is hidden. */
  readonly projectId: number | undefined;
  readonly other: MergeRequestView | undefined;
}

type Key = { readonly projectId: number; readonly iid: number };

/** Dependencies of merge requests (G-4.2-1). */
export function mergeRequestBlocks(
  { mergeRequests, directory }: Pick<MergeRequestEdges, 'mergeRequests' | 'directory'>,
  blocks: BlockStore,
) {
  /** Those of some merge requests that a caller may read, by id. */
  async function readable(caller: Caller, ids: readonly number[]): Promise<Map<number, MergeRequestView>> {
    const views = await mergeRequests.viewsByIds(ids, caller);
    const projects = await directory.readableProjects(
      caller,
      views.map(({ mergeRequest }) => mergeRequest.projectId),
    );
    return new Map(
      views
        .filter(({ mergeRequest }) => projects.has(mergeRequest.projectId))
        .map((view) => [view.mergeRequest.id, view]),
    );
  }

  async function withBlocking(caller: Caller, projectId: number, block: MergeRequestBlock): Promise<BlockView> {
    return { block, projectId, other: (await readable(caller, [block.blockingId])).get(block.blockingId) };
  }

  async function found(key: Key, blockId: number): Promise<{ waiting: MergeRequestView; block: MergeRequestBlock }> {
    const waiting = await viewOf({ mergeRequests }, key);
    const block = await blocks.find(waiting.mergeRequest.id, blockId);
    if (block === undefined) throw notFound();
    return { waiting, block };
  }

  return {
    /** What a merge request waits for, or what waits for it. */
    async list(
      caller: Caller,
      key: Key,
      side: 'blocking' | 'blocked',
      request: PageRequest,
    ): Promise<{ rows: BlockView[]; page: PageInfo }> {
      const { mergeRequest } = await viewOf({ mergeRequests }, key);
      const of = side === 'blocking' ? { blockedId: mergeRequest.id } : { blockingId: mergeRequest.id };
      const { rows, page } = await blocks.list(of, request);
      const idOf = (block: MergeRequestBlock): number => (side === 'blocking' ? block.blockingId : block.blockedId);
      const others = await readable(caller, rows.map(idOf));
      return {
        rows: rows.map((block) => {
          const other = others.get(idOf(block));
          const projectId = side === 'blocking' ? mergeRequest.projectId : other?.mergeRequest.projectId;
          return { block, projectId, other };
        }),
        page,
      };
    },

    /** @throws AppError not_found */
    async get(caller: Caller, key: Key, blockId: number): Promise<BlockView> {
      const { block } = await found(key, blockId);
      return withBlocking(caller, key.projectId, block);
    },

    /**
     * Has a merge request wait for another one. @throws AppError not_found, for one that is hidden as well; forbidden;
     * conflict; invalid
     */
    async create(caller: Caller, key: Key, blocking: { readonly id: number } | Key): Promise<BlockView> {
      const waiting = await viewOf({ mergeRequests }, key);
      if (!mayUpdate(caller, waiting)) throw forbidden();
      const other = await mergeRequests.view(blocking);
      if (other === undefined) throw notFound();
      const { projectId: home } = other.mergeRequest;
      if (!(await directory.readableProjects(caller, [home])).has(home)) throw notFound();
      const block = await blocks.add({ blockingId: other.mergeRequest.id, blockedId: waiting.mergeRequest.id });
      return withBlocking(caller, key.projectId, block);
    },

    /** @throws AppError not_found; forbidden; precondition_failed */
    async remove(caller: Caller, key: Key, blockId: number, unmodifiedSince: Date | undefined): Promise<void> {
      const { waiting, block } = await found(key, blockId);
      if (!mayUpdate(caller, waiting)) throw forbidden();
      if (!(await readable(caller, [block.blockingId])).has(block.blockingId)) throw forbidden();
      await blocks.remove(block, unmodifiedSince);
    },
  };
}

/** What `mergeRequestBlocks` gives. */
export type MergeRequestBlocks = ReturnType<typeof mergeRequestBlocks>;
