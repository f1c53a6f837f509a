import type { Database, SqlExecutor } from '@switchyard/database';
import { badRequest } from '@switchyard/errors';
import {
  allows,
  type DuplicatesChange,
  type DuplicatesOfFormats,
  isDuplicated,
  type NamedFile,
  requireExpressions,
} from '../domain/duplicates';
import type { DuplicatesStore } from './duplicates.ports';

/** Fails with `bad_request` where a file that is there already may not be published again (G-4.17-10). */
export type RefuseDuplicate = (db: SqlExecutor, projectId: number, file: NamedFile) => Promise<void>;

/** Builds what publications use. */
export const refuseDuplicate =
  ({ ofProject }: Pick<DuplicatesStore, 'ofProject'>): RefuseDuplicate =>
  async (db, projectId, file) => {
    const { format } = file;
    if (!isDuplicated(format) || allows(await ofProject(db, projectId, format), file)) return;
    throw badRequest('Duplicate package is not allowed');
  };

/** The use cases of what groups say of duplicates; the gateway has checked what the caller may do. */
export const manageDuplicates = (db: Database, store: DuplicatesStore) => ({
  /** What holds in a group. */
  get: (groupId: number): Promise<DuplicatesOfFormats> => store.ofGroup(groupId),

  /** Changes what a group says, and returns what holds then. Fails with `invalid` for expressions that are none. */
  async update(groupId: number, changes: readonly DuplicatesChange[]): Promise<DuplicatesOfFormats> {
    requireExpressions(changes);
    await db.transaction(async (tx) => {
      for (const change of changes) await store.change(tx, groupId, change);
    });
    return store.ofGroup(groupId);
  },
});

/** What `manageDuplicates` gives. */
export type ManagedDuplicates = ReturnType<typeof manageDuplicates>;
