import { setTimeout as sleep } from 'node:timers/promises';
import { conflict, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import { buryRepository, copyObjects, copyWhole, deleteRepository, isWhole, type WholeCopy } from '../../git';
import { type Home, type MoveOutcome, type RepositoryKind, repositoryKinds } from '../domain/repository';
import type { Copies } from './copies';
import type { Storages } from './storages';

faultPoints.push('move.copied', 'move.placed', 'move.recorded', 'move.objects_followed', 'move.former_removed');

/** Seconds for which a former copy stays: longer than a request or a transfer that began there. */
const keptSeconds = 3_600;
/** Milliseconds after which a copy that follows is short enough to be made once more under the lock. */
const shortMs = 2_000;
/** Copies without the lock at most, each of what came during the one before. */
const maxCopies = 20;
/** Milliseconds for which a move holds up ref changes, whose statements end after 15 s. */
const heldMs = 8_000;
/** Attempts to end a move, a second and more apart: a repository that is busy for minutes is quiet once. */
const maxAttempts = 300;
const pauseMs = 1_000;
/** Seconds after which a removal that waits is worth another attempt. */
const waitSeconds = 60;

interface MoveEdges {
  readonly repositories: {
    home(projectId: number): Promise<Home | undefined>;
    /** Names another storage, once `place` has put the repository there. */
    move(
      projectId: number,
      move: { readonly from: string; readonly to: string; readonly keptSeconds: number },
      place: () => Promise<void>,
    ): Promise<MoveOutcome>;
    forgetFormer(projectId: number, former: string): Promise<void>;
  };
  readonly storages: Pick<Storages, 'at' | 'names' | 'serves'>;
  readonly copies: Copies;
}

/** Brings a copy up to date until little is left to follow, however long the first time takes. */
async function followClosely(copy: WholeCopy): Promise<void> {
  for (let made = 0; made < maxCopies; made += 1) {
    const began = performance.now();
    await copy.update();
    if (performance.now() - began < shortMs) return;
  }
}

/** A copy of the repository of a project and of its wiki, which may be made while they are copied. */
function copyProject(
  { storages, copies }: Pick<MoveEdges, 'storages' | 'copies'>,
  projectId: number,
  from: string,
  to: string,
): WholeCopy {
  const begun = new Map<RepositoryKind, WholeCopy>();
  return {
    async update(signal) {
      for (const kind of repositoryKinds) {
        const source = copies.at(from, projectId, kind);
        if (!begun.has(kind) && (kind === 'code' || (await source.exists())))
          begun.set(kind, await copyWhole(source, storages.at(to, projectId, kind)));
        await begun.get(kind)?.update(signal);
      }
    },
    async place() {
      // What an older move left would come to be the project's wiki.
      if (!begun.has('wiki')) await buryRepository(storages.at(to, projectId, 'wiki'));
      for (const copy of begun.values()) await copy.place();
    },
    async drop() {
      for (const copy of begun.values()) await copy.drop();
    },
  };
}

/**
 * Moves a repository, with the wiki, to another storage while it is used (ADR 76): a copy of all its files is made and checked, then
 * what came meanwhile follows under the lock for which ref changes wait, and the row names the other storage. Until that
 * commits, the repository is where it was; a copy that a killed process left is removed. Where the lock is not to be had,
 * or what came is too much for the time that ref changes can wait, it follows without the lock and tries again.
 * @throws Error with one line: nothing has changed
 */
export const moveRepository =
  ({ repositories, storages, copies }: MoveEdges) =>
  async (projectId: number, to: string, say: (line: string) => void): Promise<void> => {
    if (!storages.names.includes(to)) throw new Error(`the storage ${to} is none of ${storages.names.join(', ')}`);
    if (!storages.serves(to))
      throw new Error(`the storage ${to} is not served here: run it in the process that has it`);
    const home = await repositories.home(projectId);
    if (home === undefined) throw new Error('the project has no repository yet');
    const from = home.storage;
    if (from === to) throw new Error(`the repository lies in ${to} already`);
    if (home.former !== undefined)
      throw new Error('the repository was moved within the hour: its former copy has to go before');
    const copy = copyProject({ storages, copies }, projectId, from, to);
    let isPlaced = false;
    async function end(): Promise<MoveOutcome> {
      let held: AbortSignal | undefined;
      try {
        return await repositories.move(projectId, { from, to, keptSeconds }, async () => {
          held = AbortSignal.timeout(heldMs);
          await copy.update(held);
          isPlaced = true;
          await copy.place();
          faultPoint('move.placed');
        });
      } catch (cause) {
        if (held?.aborted && !isPlaced) return 'busy';
        throw cause;
      }
    }
    try {
      await followClosely(copy);
      faultPoint('move.copied');
      say(`copied from ${from} to ${to}, and checked`);
      let outcome = await end();
      for (let attempt = 1; outcome === 'busy' && attempt < maxAttempts; attempt += 1) {
        await sleep(pauseMs);
        await followClosely(copy);
        outcome = await end();
      }
      if (outcome === 'busy') throw new Error('the repository was too busy to be moved');
      if (outcome === 'changed') throw new Error('the repository was moved or removed by another process meanwhile');
      faultPoint('move.recorded');
      say(`moved to ${to}; the former copy is removed in an hour`);
    } finally {
      await copy.drop();
    }
  };

interface RemovalEdges {
  readonly repositories: Pick<MoveEdges['repositories'], 'home' | 'forgetFormer'>;
  readonly storages: Pick<Storages, 'at'>;
  readonly isBackupRunning: () => Promise<boolean>;
}

const backupRuns = () => unavailable(new Error('a backup is made'), waitSeconds);

/**
 * Removes the former copies that lie here of a project that was moved to another process, which asks for it. Repeatable.
 * @throws AppError unavailable while a backup is made; conflict where the project's row does not name it as former
 */
export const removeFormerHere =
  ({ repositories, storages, isBackupRunning }: RemovalEdges): Copies['removeFormer'] =>
  async (storage, projectId) => {
    if ((await repositories.home(projectId))?.former !== storage) throw conflict();
    if (await isBackupRunning()) throw backupRuns();
    for (const kind of repositoryKinds) await deleteRepository(storages.at(storage, projectId, kind));
  };

/**
 * Removes the former copies of a moved project, once all that was written to them late is in the new ones and nothing is
 * missing there. Repeatable.
 * @throws AppError unavailable while a backup is made; Error when something is missing: the former copy stays
 */
export const removeFormerCopy =
  ({ repositories, storages, copies, isBackupRunning }: RemovalEdges & Pick<MoveEdges, 'copies'>) =>
  async ({ projectId }: { readonly projectId: number }): Promise<void> => {
    const home = await repositories.home(projectId);
    if (home?.former === undefined) return;
    if (await isBackupRunning()) throw backupRuns();
    for (const kind of repositoryKinds) {
      const [repo, former] = [storages.at(home.storage, projectId, kind), copies.at(home.former, projectId, kind)];
      if (!(await former.exists())) continue;
      await copyObjects(former, repo);
      faultPoint('move.objects_followed');
      if (!(await isWhole(repo)))
        throw new Error(`objects are missing in ${repo.path}: its former copy ${former.name} stays`);
    }
    await copies.removeFormer(home.former, projectId);
    faultPoint('move.former_removed');
    await repositories.forgetFormer(projectId, home.former);
    logger.info({ project_id: projectId, storage: home.former }, 'the former copy of a moved repository was removed');
  };
