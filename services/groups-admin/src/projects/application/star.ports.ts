import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Viewer } from '../../directory';
import type { StarrerRow } from '../domain/starrer-row';

/** Stars in the database; each change counts in `star_count` in its own transaction. */
export interface StarStore {
  /** `known` when the user starred the project before; `missing` when it was purged in the meantime. */
  add(projectId: number, userId: number): Promise<'added' | 'known' | 'missing'>;
  /** False when the user had not starred the project. */
  remove(projectId: number, userId: number): Promise<boolean>;
  /** Active users who starred a project, the latest first: one statement and one count. */
  starrers(
    projectId: number,
    search: string | undefined,
    request: PageRequest,
    viewer: Viewer,
  ): Promise<{ rows: StarrerRow[]; page: PageInfo }>;
}
