import type { Viewer } from '@switchyard/directory';
import { invalid, isAppError, notFound } from '@switchyard/errors';
import {
  type Commit,
  type CommitQuery,
  commitDiff,
  type Diff,
  listCommits,
  type Repository,
  readCommit,
  readCommits,
  refsContaining,
  resolveRevision,
  type Sha,
  shaOf,
  treePathOf,
} from '../../git';
import type { OpenProjectRepository } from './open-project-repository';

/** Which commits a list holds. Empty texts mean "not given". */
export interface CommitQueryInput {
  readonly refName: string;
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  readonly path: string;
  readonly author: string;
  readonly all: boolean;
  readonly firstParent: boolean;
  readonly topological: boolean;
  readonly withStats: boolean;
}

/** Those of some projects whose code a viewer may read (ability `read_code`), with their full paths: one statement. */
export type CodeReaders = (
  viewer: Viewer,
  projectIds: readonly number[],
) => Promise<{ readonly id: number; readonly fullPath: string }[]>;

/** Characters of an author that is searched for: git compares them at every place of a header. */
const maxAuthorLength = 500;

/** Commits: list, get, diff, containing refs. */
export function readCommitsOf({ open }: { open: OpenProjectRepository }) {
  async function commitOf(repo: Repository, text: string): Promise<Sha> {
    const revision = await resolveRevision(repo, text);
    if (revision === undefined) throw notFound('Commit');
    return revision.sha;
  }

  async function revisionsOf(
    repo: Repository,
    refName: string,
    defaultBranch: string,
  ): Promise<Pick<CommitQuery, 'from' | 'not' | 'symmetric'>> {
    if (refName === '') {
      const head = await resolveRevision(repo, defaultBranch);
      // An empty repository has no commits, which is no error.
      return { from: head === undefined ? [] : [head.sha] };
    }
    const whole = await resolveRevision(repo, refName);
    if (whole !== undefined) return { from: [whole.sha] };
    const symmetric = refName.includes('...');
    const sides = refName.split(symmetric ? '...' : '..');
    const [base = '', tip = ''] = sides;
    if (sides.length !== 2 || (base === '' && tip === '')) throw notFound('Commit');
    // As in git, the side that is not named is HEAD.
    const [excluded, included] = await Promise.all([base, tip].map((side) => commitOf(repo, side || defaultBranch)));
    if (excluded === undefined || included === undefined) throw notFound('Commit');
    return symmetric ? { from: [excluded, included], symmetric } : { from: [included], not: [excluded] };
  }

  return {
    /** A window of the list, newest first, and whether more follows. */
    async list(
      projectId: number,
      wanted: CommitQueryInput,
      { offset, limit }: { offset: number; limit: number },
    ): Promise<{ commits: Commit[]; hasNext: boolean }> {
      if (wanted.author.length > maxAuthorLength) {
        throw invalid(`Author is too long (maximum is ${maxAuthorLength} characters)`);
      }
      const { repo, defaultBranch } = await open(projectId);
      const path = wanted.path === '' ? undefined : treePathOf(wanted.path);
      if (wanted.path !== '' && path === undefined) return { commits: [], hasNext: false };
      const revisions = wanted.all ? { all: true } : await revisionsOf(repo, wanted.refName, defaultBranch);
      const commits = await listCommits(repo, {
        ...revisions,
        path,
        since: wanted.since,
        until: wanted.until,
        author: wanted.author || undefined,
        firstParent: wanted.firstParent,
        topological: wanted.topological,
        withStats: wanted.withStats,
        skip: offset,
        limit: limit + 1,
      });
      return { commits: commits.slice(0, limit), hasNext: commits.length > limit };
    },

    /** One commit by branch, tag or sha. */
    async get(projectId: number, text: string, withStats: boolean): Promise<Commit> {
      const { repo } = await open(projectId);
      const commit = await readCommit(repo, await commitOf(repo, text), { withStats });
      if (commit === undefined) throw notFound('Commit');
      return commit;
    },

    /**
     * Commits by full sha, in no particular order; what names none is left out, and of a deleted project there are
     * none.
     */
    async byIds(projectId: number, ids: readonly string[]): Promise<Commit[]> {
      try {
        const { repo } = await open(projectId);
        return await readCommits(
          repo,
          ids.flatMap((id) => shaOf(id) ?? []),
        );
      } catch (error) {
        if (isAppError(error, 'not_found')) return [];
        throw error;
      }
    },

    /** What a commit changed against its first parent; a window of its files. */
    async diff(
      projectId: number,
      text: string,
      { unidiff, offset, limit }: { unidiff: boolean; offset: number; limit: number },
    ): Promise<Diff> {
      const { repo } = await open(projectId);
      return commitDiff(repo, await commitOf(repo, text), { unidiff, limits: { offset, limit } });
    },

    /** Branches and tags that contain a commit, branches first. */
    async refs(projectId: number, text: string, type: string): Promise<{ type: 'branch' | 'tag'; name: string }[]> {
      const { repo } = await open(projectId);
      const sha = await commitOf(repo, text);
      const kinds = (['branch', 'tag'] as const).filter((kind) => type === 'all' || type === kind);
      const found = await Promise.all(
        kinds.map(async (kind) =>
          (await refsContaining(repo, sha, kind)).map((ref) => ({
            type: kind,
            name: ref.split('/').slice(2).join('/'),
          })),
        ),
      );
      return found.flat();
    },
  };
}

/** What `readCommitsOf` gives. */
export type ReadCommitsOf = ReturnType<typeof readCommitsOf>;
