import { isAppError } from '@switchyard/errors';
import { parseBranchName, readHead, setHead } from '../../git';
import type { Repositories } from './open-project-repository';
import { branchOf, creates, type LocalSubscriber } from './ref-change';
import type { WriteInPlace } from './write-in-place';

/** Reports to the owner of projects which branch a first push made the default; see the compose of the area. */
export type AnnounceDefaultBranch = (projectId: number, branch: string) => Promise<void>;

/**
 * When a branch that has become the default was made: HEAD of the repository follows, and the owner of the project is
 * notified if it names another one.
 */
export function followDefaultBranch({
  repositories,
  writeInPlace,
  announce,
}: {
  repositories: Pick<Repositories, 'find'>;
  writeInPlace: WriteInPlace;
  announce: AnnounceDefaultBranch | undefined;
}): LocalSubscriber {
  return {
    async afterRefChange(change) {
      const branch = branchOf(change.ref);
      if (branch === undefined || !creates(change)) return;
      const project = await repositories.find(change.projectId);
      if (project === undefined || project.storedDefault !== branch) return;
      const name = parseBranchName(branch);
      await writeInPlace(change.projectId, async (repo) => {
        if ((await readHead(repo)) !== name) await setHead(repo, name);
      });
      if (project.wantedDefault === branch || announce === undefined) return;
      try {
        await announce(change.projectId, branch);
      } catch (error) {
        if (!isAppError(error, 'not_found', 'gone')) throw error;
      }
    },
  };
}
