import type { SqlExecutor } from '@switchyard/database';
import type { CrossReference } from '@switchyard/texts';
import type { ReferenceSource } from '../domain/cross-reference';

/** Texts that refer to objects, and the system notes on these. */
export interface ReferenceStore {
  /** Title and description of an issue; undefined for one that is gone. */
  textOfIssue(tx: SqlExecutor, id: number): Promise<string | undefined>;
  /** Body of a comment; undefined for one that is gone, and for an internal one, which leaves no trace elsewhere. */
  textOfNote(tx: SqlExecutor, id: number): Promise<string | undefined>;
  /** Writes a system note on each object that is referred to and that the actor may read, once for each pair. */
  write(
    tx: SqlExecutor,
    source: ReferenceSource,
    references: readonly CrossReference[],
    by: { actorId: number; at: Date },
  ): Promise<void>;
}
