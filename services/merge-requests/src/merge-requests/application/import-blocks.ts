import { isAppError, notFound } from '@switchyard/errors';
import type { ImportKey } from '../domain/merge-request-import';
import type { MergeRequestImportStore } from './import-merge-requests';
import type { MergeRequestEdges } from './merge-request.edges';
import type { BlockStore } from './merge-request-blocks';

/** Two merge requests of an archive by number, of which one waits for the other one. */
export interface ImportedBlock {
  readonly blockingIid: number;
  readonly blockedIid: number;
}

/** What imports of dependencies need. */
export interface BlockImportEdges {
  readonly directory: Pick<MergeRequestEdges['directory'], 'project'>;
  readonly imports: Pick<MergeRequestImportStore, 'locate'>;
  readonly blocks: Pick<BlockStore, 'add'>;
}

/**
 * Adds dependencies of an archive: those that are there stay, and those that no merge request can have, as in a circle,
 * stay away. Returns how many were looked at. Fails with `not_found` for the project.
 */
export const importBlocks =
  ({ directory, imports, blocks }: BlockImportEdges) =>
  async (key: ImportKey, given: readonly ImportedBlock[]): Promise<number> => {
    if ((await directory.project(key.projectId)) === undefined) throw notFound('Project');
    const iids = given.flatMap(({ blockingIid, blockedIid }) => [blockingIid, blockedIid]);
    const idOf = new Map((await imports.locate(key, [...new Set(iids)])).map(({ iid, id }) => [iid, id]));
    for (const { blockingIid, blockedIid } of given) {
      const [blockingId, blockedId] = [idOf.get(blockingIid), idOf.get(blockedIid)];
      if (blockingId === undefined || blockedId === undefined) continue;
      await blocks.add({ blockingId, blockedId }).catch((error: unknown) => {
        if (!isAppError(error, 'conflict', 'invalid', 'not_found')) throw error;
      });
    }
    return given.length;
  };
