import { AppError, isAppError, unprocessable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import {
  fetchRemoteObjects,
  GitCommandError,
  listRemoteRefs,
  type RemoteRefs,
  type Repository,
  readRefs,
  runToCompletion,
} from '../../git';
import type { OpenProjectRepository } from './open-project-repository';
import { type KeptFromImport, placeHeads, placeRefs, pointingRight, type RemoteRef } from './place-imported-refs';
import type { ChangeRefs } from './ref-change';
import type { Wikis } from './wikis';

faultPoints.push('repository_import.fetched', 'repository_import.refs_moved', 'repository_import.heads_moved');

/** A repository at a forge. */
export interface ForgeRepository {
  /** Address, as `git clone` takes it, without credentials. */
  readonly url: string;
  /** Header `Authorization`; empty for none. */
  readonly authorization: string;
  /** Where it keeps the heads of its merge requests, with a star for the number; empty: nowhere. */
  readonly headsPattern: string;
  /** It is a wiki, which the forge need not have. */
  readonly wiki: boolean;
  /** Ends the work. */
  readonly signal: AbortSignal;
}

/** Cause of a failure: the forge has nothing at the address, or does not show it. */
export class NothingThere extends Error {}

/** What the forge last failed with; undefined where it gave what git asked for. */
type FailureOfForge = () => AppError | undefined;

/**
 * Does work with an address by which git on this machine reaches a repository at a forge.
 * @throws AppError unprocessable when the forge refuses or may not be reached, rate_limited when it asks for a pause,
 *   unavailable when it cannot be reached now
 */
export type FromForge = <T>(
  repository: ForgeRepository,
  work: (url: string, failure: FailureOfForge) => Promise<T>,
) => Promise<T>;

/** Parts into which heads are divided of which git refuses one, and how often it may refuse before the rest is left out. */
const parts = 8;
const maxRefusals = 200;

/** What imports from forges need. */
export interface ImportRepositoryEdges {
  readonly open: OpenProjectRepository;
  readonly changeRefs: ChangeRefs;
  readonly keptFromImport: KeptFromImport;
  readonly wikis: Pick<Wikis, 'open' | 'changeRefs'>;
  readonly fromForge: FromForge;
}

/** What became of the branches and tags of a forge. */
interface BroughtRefs {
  readonly refs: number;
  readonly skipped: number;
  /** Refs that would have moved and were left. */
  readonly kept: string[];
  /** Refs that cannot be refs here, or point at what a ref of their kind does not. */
  readonly impossible: string[];
}

/** Refs that are named of those that were left. */
const namedRefs = 100;

const nothing: BroughtRefs = { refs: 0, skipped: 0, kept: [], impossible: [] };

/** Brings a repository in from a forge, or a wiki; see RepositoryImportService. */
export const importRepository =
  ({ open, changeRefs, keptFromImport, wikis, fromForge }: ImportRepositoryEdges) =>
  async (
    { projectId, actorId }: { readonly projectId: number; readonly actorId: number },
    forge: ForgeRepository,
  ): Promise<BroughtRefs> => {
    /**
     * Heads that the project does not have yet, and commits of others. Anybody may have made a merge request at the forge: one whose objects git
     * refuses costs itself alone.
     */
    async function bringHeads(
      repo: Repository,
      url: string,
      heads: readonly RemoteRef[],
      failure: FailureOfForge,
    ): Promise<void> {
      const now = await readRefs(
        repo,
        heads.map(({ ref }) => ref),
      );
      const fetched = await fetchWhatCan(
        repo,
        url,
        // What of them moves, and when, is for who keeps the merge requests.
        heads.filter(({ ref, sha }) => now.get(ref)?.sha !== sha),
        { refusals: maxRefusals, failure },
      );
      await placeHeads(changeRefs, repo, projectId, fetched);
      faultPoint('repository_import.heads_moved');
    }

    async function fetchWhatCan(
      repo: Repository,
      url: string,
      heads: readonly RemoteRef[],
      left: { refusals: number; readonly failure: FailureOfForge },
    ): Promise<RemoteRef[]> {
      if (heads.length === 0 || left.refusals <= 0) return [];
      try {
        await fetchRemoteObjects(
          url,
          repo,
          heads.map(({ sha }) => sha),
          forge,
        );
        return await pointingRight(repo, heads);
      } catch (error) {
        forge.signal.throwIfAborted();
        if (!(error instanceof GitCommandError)) throw error;
        // It is away, and refuses nothing: to leave heads out would leave them out for good.
        const failed = left.failure();
        if (isAppError(failed, 'unavailable', 'rate_limited')) throw failed;
        left.refusals -= 1;
        if (heads.length === 1) return [];
        const part = Math.ceil(heads.length / parts);
        const kept: RemoteRef[] = [];
        for (let at = 0; at < heads.length; at += part)
          kept.push(...(await fetchWhatCan(repo, url, heads.slice(at, at + part), left)));
        return kept;
      }
    }

    async function bring(
      repo: Repository,
      url: string,
      { refs, heads, impossible }: RemoteRefs,
      failure: FailureOfForge,
    ): Promise<BroughtRefs> {
      await fetchRemoteObjects(
        url,
        repo,
        refs.map(({ sha }) => sha),
        forge,
      );
      faultPoint('repository_import.fetched');
      const right = await pointingRight(repo, refs);
      const { stale, kept } = await placeRefs(
        forge.wiki ? wikis.changeRefs : changeRefs,
        repo,
        { projectId, actorId },
        right,
        () => faultPoint('repository_import.refs_moved'),
        // Nothing of a wiki is protected.
        forge.wiki ? undefined : await keptFromImport(projectId, actorId),
      );
      const pointing = new Set(right.map(({ ref }) => ref));
      const out = [...impossible, ...refs.map(({ ref }) => ref).filter((ref) => !pointing.has(ref))];
      await bringHeads(repo, url, heads, failure);
      return {
        refs: right.length - stale - kept.length,
        skipped: out.length + stale + kept.length,
        kept: kept.slice(0, namedRefs),
        impossible: out.slice(0, namedRefs),
      };
    }

    const { repo } = await open(projectId);
    // Its place among calls would be taken for an hour: it is work of the background that ends with its caller.
    return runToCompletion(() =>
      fromForge(forge, async (url, failure) => {
        const found = await listRemoteRefs(url, forge.headsPattern, forge);
        if (forge.wiki && found.refs.length === 0) return { ...nothing, skipped: found.impossible.length };
        return bring(forge.wiki ? await wikis.open(projectId) : repo, url, found, failure);
      }),
    ).catch((error: unknown) => {
      if (forge.wiki && error instanceof AppError && error.cause instanceof NothingThere) return nothing;
      if (!(error instanceof GitCommandError)) throw error;
      logger.warn({ err: error, project_id: projectId }, 'a repository was not fetched');
      throw unprocessable('The forge did not send a repository that git accepts');
    });
  };
