import type { Tx } from '@switchyard/database';
import type { ProjectStore } from '../storage/project.store';

/** What a push tells of its project. */
export interface Push {
  readonly projectId: number;
  readonly at: Date;
  /** The README of the default branch, `now` undefined for none; undefined for a push of another ref. */
  readonly readmePath: { readonly now: string | undefined } | undefined;
}

/** A project that is pushed to is active, and shows the README that was pushed. Of a project that is gone nothing is noted. */
export const followPushes =
  ({ projects }: { projects: Pick<ProjectStore, 'pushed'> }) =>
  (tx: Tx, { projectId, ...push }: Push): Promise<void> =>
    projects.pushed(tx, projectId, push);
