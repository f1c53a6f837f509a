import { unprocessable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import {
  describeObjects,
  fetchRemoteObjects,
  GitCommandError,
  isAncestor,
  listRemoteRefs,
  type Ref,
  type Repository,
  readRefs,
  refKind,
  runToCompletion,
  type Sha,
  zeroSha,
} from '../../git';
import type { OpenProjectRepository } from './open-project-repository';
import type { ChangeRefs } from './ref-change';

faultPoints.push('repository_import.fetched', 'repository_import.refs_moved');

/** A repository at a forge. */
export interface ForgeRepository {
  /** Address, as `git clone` takes it, without credentials. */
  readonly url: string;
  /** Header `Authorization`; empty for none. */
  readonly authorization: string;
  /** Ends the work. */
  readonly signal: AbortSignal;
}

/**
 * Does work with an address by which git on this machine reaches a repository at a forge.
 * @throws AppError unprocessable when the forge refuses or may not be reached, rate_limited when it asks for a pause,
 *   unavailable when it cannot be reached now
 */
export type FromForge = <T>(repository: ForgeRepository, work: (url: string) => Promise<T>) => Promise<T>;

/** Refs that move together: their intents and results are a statement each. */
const refsAtOnce = 500;

type RemoteRef = Pick<Ref, 'ref' | 'sha'>;

/** Brings a repository in from a forge; see RepositoryImportService. */
export const importRepository =
  ({ open, changeRefs, fromForge }: { open: OpenProjectRepository; changeRefs: ChangeRefs; fromForge: FromForge }) =>
  async (
    { projectId, actorId }: { readonly projectId: number; readonly actorId: number },
    forge: ForgeRepository,
  ): Promise<{ readonly refs: number; readonly skipped: number }> => {
    /** A branch follows the forge, and a tag stays: what was made here since is never overwritten. */
    async function isNew(repo: Repository, { ref, sha }: RemoteRef, now: Sha | undefined): Promise<boolean> {
      if (now === undefined) return true;
      return now !== sha && refKind(ref).kind === 'branch' && isAncestor(repo, now, sha);
    }

    /** Branches point at commits. */
    async function pointingRight(repo: Repository, refs: readonly RemoteRef[]): Promise<RemoteRef[]> {
      const objects = await describeObjects(
        repo,
        refs.map(({ sha }) => sha),
      );
      return refs.filter(({ ref }, at) => refKind(ref).kind === 'tag' || objects[at]?.type === 'commit');
    }

    async function move(repo: Repository, refs: readonly RemoteRef[]): Promise<number> {
      const now = await readRefs(
        repo,
        refs.map(({ ref }) => ref),
      );
      const updates = [];
      for (const one of refs) {
        const before = now.get(one.ref)?.sha;
        if (await isNew(repo, one, before)) updates.push({ ref: one.ref, before: before ?? zeroSha, after: one.sha });
      }
      const moved = await changeRefs({ projectId, actorId, source: 'import', updates });
      faultPoint('repository_import.refs_moved');
      return moved.filter(({ status }) => status === 'stale').length;
    }

    const { repo } = await open(projectId);
    // Its place among calls would be taken for an hour: it is work of the background that ends with its caller.
    return runToCompletion(() =>
      fromForge(forge, async (url) => {
        const { refs, skipped } = await listRemoteRefs(url, forge);
        await fetchRemoteObjects(
          url,
          repo,
          refs.map(({ sha }) => sha),
          forge,
        );
        faultPoint('repository_import.fetched');
        const right = await pointingRight(repo, refs);
        let left = skipped + refs.length - right.length;
        for (let at = 0; at < right.length; at += refsAtOnce)
          left += await move(repo, right.slice(at, at + refsAtOnce));
        return { refs: refs.length + skipped - left, skipped: left };
      }),
    ).catch((error: unknown) => {
      if (!(error instanceof GitCommandError)) throw error;
      logger.warn({ err: error, project_id: projectId }, 'a repository was not fetched');
      throw unprocessable('The forge did not send a repository that git accepts');
    });
  };
