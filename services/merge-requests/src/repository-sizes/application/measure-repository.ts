import { isAppError } from '@switchyard/errors';
import {
  countCommits,
  countObjects,
  isAncestor,
  isWorthPacking,
  type ObjectCounts,
  type Repository,
  readCommit,
  readHeads,
  repositoryExists,
  type Sha,
} from '../../git';
import type { MeasuredRepository, RepositoryMeasurement } from '../domain/repository-measurement';

/** Measurements in the database. */
export interface RepositorySizeStore {
  /** Undefined once the project was purged. */
  find(projectId: number): Promise<MeasuredRepository | undefined>;
  /** Saves a measurement with its event; the next one is due in a day, or after the next push. */
  save(projectId: number, measurement: RepositoryMeasurement): Promise<void>;
}

/** Most commits of a default branch that are counted; a larger one is shown with this number. */
const maxCountedCommits = 10_000_000;

/** Milliseconds for a count: without an index of the history a million commits take some ten seconds. */
const countTimeoutMs = 60_000;

type Count = Pick<RepositoryMeasurement, 'commitCount' | 'countedSha'>;

/** Commits of the default branch: those since the last count, where nothing was rewritten. */
async function countDefaultBranch(repo: Repository, known: MeasuredRepository): Promise<Count> {
  const head = (await readHeads(repo, [known.defaultBranch])).get(known.defaultBranch);
  if (head === undefined) return { commitCount: 0, countedSha: undefined };
  if (head === known.countedSha) return known;
  const counted = known.countedSha as Sha | undefined;
  const continues =
    counted !== undefined && (await readCommit(repo, counted)) !== undefined && (await isAncestor(repo, counted, head));
  const range = continues ? { from: [head], not: [counted] } : { from: [head] };
  const commits = await countCommits(repo, { ...range, cap: maxCountedCommits }, { timeoutMs: countTimeoutMs });
  return { commitCount: continues ? known.commitCount + commits : commits, countedSha: head };
}

const nothing = { loose: 0, packs: 0, size: 0 };

/** What lies in a wiki; nothing where there is none. */
const countWiki = async (wiki: Repository): Promise<ObjectCounts> =>
  (await repositoryExists(wiki)) ? countObjects(wiki) : nothing;

/**
 * Measures a repository and its wiki, and publishes the result, changed or not, so that a reader that lost one is right again within a
 * day. A history that takes too long to count keeps its last number. What has grown into too many files is to be packed.
 */
export const measureRepository =
  ({
    sizes,
    repositoryOf,
    pack,
  }: {
    sizes: RepositorySizeStore;
    /** Requests that the repository and the wiki of a project be packed. */
    pack: (projectId: number) => Promise<void>;
    repositoryOf: (projectId: number, kind: 'code' | 'wiki') => Promise<Repository>;
  }) =>
  async (projectId: number): Promise<void> => {
    const known = await sizes.find(projectId);
    if (known === undefined) return;
    const repo = await repositoryOf(projectId, 'code');
    const wiki = await countWiki(await repositoryOf(projectId, 'wiki'));
    if (!(await repositoryExists(repo))) {
      return sizes.save(projectId, { size: 0, wikiSize: wiki.size, commitCount: 0, countedSha: undefined });
    }
    const count = await countDefaultBranch(repo, known).catch((error) => {
      if (!isAppError(error, 'request_timeout', 'too_large')) throw error;
      return known;
    });
    const code = await countObjects(repo);
    await sizes.save(projectId, { size: code.size, wikiSize: wiki.size, ...count });
    if (isWorthPacking(code) || isWorthPacking(wiki)) await pack(projectId);
  };
