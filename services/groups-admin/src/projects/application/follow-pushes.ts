import type { Tx } from '@switchyard/database';
import type { PushRecord } from '../domain/project-row';
import type { ProjectStore } from './project.ports';

/** What a push changes on its project. */
export interface Push extends PushRecord {
  readonly projectId: number;
}

/**
 * A project that is pushed to is active, and shows the README that was pushed. A push to a deleted project has no
 * effect.
 */
export const followPushes =
  ({ projects }: { projects: Pick<ProjectStore, 'pushed'> }) =>
  (tx: Tx, { projectId, ...push }: Push): Promise<void> =>
    projects.pushed(tx, projectId, push);
