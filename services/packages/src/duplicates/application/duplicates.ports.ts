import type { SqlExecutor, Tx } from '@switchyard/database';
import type { DuplicatedFormat, Duplicates, DuplicatesChange, DuplicatesOfFormats } from '../domain/duplicates';

/** What groups say of duplicates, as rows. */
export interface DuplicatesStore {
  /** What holds in a group. */
  ofGroup(groupId: number): Promise<DuplicatesOfFormats>;
  /** What holds of a format in a project. */
  ofProject(db: SqlExecutor, projectId: number, format: DuplicatedFormat): Promise<Duplicates>;
  /** Changes what a group says; what it did not say before is then what holds in it. */
  change(tx: Tx, groupId: number, change: DuplicatesChange): Promise<void>;
}
