import { unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import { copyObjects, copyWhole, deleteRepository, isWhole, type Repository, repositoryExists } from '../../git';
import type { Home } from '../domain/repository';
import type { Storages } from './storages';

faultPoints.push('move.copied', 'move.placed', 'move.recorded', 'move.objects_followed', 'move.former_removed');

/** Seconds for which a former copy stays: longer than a request or a transfer that began there. */
const keptSeconds = 3_600;
/** Seconds after which a removal that waits is worth another attempt. */
const waitSeconds = 60;

interface MoveEdges {
  readonly repositories: {
    home(projectId: number): Promise<Home | undefined>;
    /** Names another storage, once `place` has put the repository there; false where it is not as expected any more. */
    move(
      projectId: number,
      move: { readonly from: string; readonly to: string; readonly keptSeconds: number },
      place: () => Promise<void>,
    ): Promise<boolean>;
    forgetFormer(projectId: number, former: string): Promise<void>;
  };
  readonly storages: Pick<Storages, 'at' | 'names'>;
}

/** A project's repository, and its former copy where it was moved. */
export const copiesIn =
  ({
    repositories,
    storages,
  }: Pick<MoveEdges, 'storages'> & { repositories: Pick<MoveEdges['repositories'], 'home'> }) =>
  async (projectId: number): Promise<Repository[]> => {
    const home = await repositories.home(projectId);
    return [home?.storage, home?.former].flatMap((one) => (one === undefined ? [] : storages.at(one, projectId)));
  };

/**
 * Moves a repository to another storage while it is used (ADR 73): a copy of all its files is made and checked, then
 * what came meanwhile follows under the lock for which ref changes wait, and the row names the other storage. Until that
 * commits, the repository is where it was; a copy that a killed process left is removed.
 * @throws Error with one line: nothing has changed
 */
export const moveRepository =
  ({ repositories, storages }: MoveEdges) =>
  async (projectId: number, to: string, say: (line: string) => void): Promise<void> => {
    if (!storages.names.includes(to)) throw new Error(`the storage ${to} is none of ${storages.names.join(', ')}`);
    const home = await repositories.home(projectId);
    if (home === undefined) throw new Error('the project has no repository yet');
    const from = home.storage;
    if (from === to) throw new Error(`the repository lies in ${to} already`);
    if (home.former !== undefined)
      throw new Error('the repository was moved within the hour: its former copy has to go before');
    const source = storages.at(from, projectId);
    const copy = await copyWhole(source, storages.at(to, projectId));
    try {
      await copy.update();
      faultPoint('move.copied');
      say(`copied from ${from} to ${to}, and checked`);
      const moved = await repositories.move(projectId, { from, to, keptSeconds }, async () => {
        await copy.update();
        await copy.place();
        faultPoint('move.placed');
      });
      if (!moved) throw new Error('the repository was moved or removed by another process meanwhile');
      faultPoint('move.recorded');
      say(`moved to ${to}; the former copy is removed in an hour`);
    } finally {
      await copy.drop();
    }
  };

/**
 * Removes the former copy of a moved repository, once all that was written to it late is in the new one and nothing is
 * missing there. Repeatable.
 * @throws AppError unavailable while a backup is made; Error when something is missing: the former copy stays
 */
export const removeFormerCopy =
  ({ repositories, storages, isBackupRunning }: MoveEdges & { readonly isBackupRunning: () => Promise<boolean> }) =>
  async ({ projectId }: { readonly projectId: number }): Promise<void> => {
    const home = await repositories.home(projectId);
    if (home?.former === undefined) return;
    if (await isBackupRunning()) throw unavailable(new Error('a backup is made'), waitSeconds);
    const [repo, former] = [storages.at(home.storage, projectId), storages.at(home.former, projectId)];
    if (await repositoryExists(former)) {
      await copyObjects(former, repo);
      faultPoint('move.objects_followed');
      if (!(await isWhole(repo)))
        throw new Error(`objects are missing in ${repo.path}: its former copy ${former.path} stays`);
      await deleteRepository(former);
      faultPoint('move.former_removed');
    }
    await repositories.forgetFormer(projectId, home.former);
    logger.info({ project_id: projectId, storage: home.former }, 'the former copy of a moved repository was removed');
  };
