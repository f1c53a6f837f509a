import { invalid, notFound } from '@switchyard/errors';
import {
  type Commit,
  type Diff,
  diff,
  gitText,
  listCommits,
  mergeBase,
  type Repository,
  readBlob,
  readCommit,
  readTree,
  resolveRevision,
  type Sha,
  shaOf,
  type TreePage,
  treePathOf,
} from '../../git';
import type { OpenProjectRepository } from './open-project-repository';

/** Two refs compared. */
export interface Compared {
  /** Oldest first, at most `comparedCommits`. */
  readonly commits: Commit[];
  readonly diff: Diff;
  /** Both name one commit. */
  readonly sameRef: boolean;
}

/** Commits a comparison lists at the most: the newest ones. */
export const comparedCommits = 1_000;

/** Bytes of a blob that travels as JSON at the most; larger ones are streamed by their raw address. */
const blobBytes = 50 << 20;

/** A user who committed. */
export interface Contributor {
  readonly name: string;
  readonly email: string;
  readonly commits: number;
}

/** Everybody who wrote a commit that can be reached from `commit`, merges not counted. */
async function contributorsOf(repo: Repository, commit: Sha): Promise<Contributor[]> {
  const text = await gitText(repo, ['shortlog', '--summary', '--email', '--no-merges', commit, '--']);
  return text.split('\n').flatMap((line) => {
    const [, commits, name = '', email = ''] = /^\s*(\d+)\t([^<]*) <([^>]*)>$/.exec(line) ?? [];
    return commits === undefined ? [] : [{ name, email, commits: Number(commits) }];
  });
}

/** Trees, blobs, comparisons, contributors. */
export function readRepository({ open }: { open: OpenProjectRepository }) {
  const commitOf = async (repo: Repository, text: string): Promise<Sha | undefined> =>
    (await resolveRevision(repo, text))?.sha;

  return {
    /** Entries of a directory. @throws AppError not_found "404 Tree Not Found" */
    async tree(
      projectId: number,
      {
        ref,
        path,
        ...place
      }: { ref: string; path: string; recursive: boolean; after?: string; offset: number; limit: number },
    ): Promise<TreePage> {
      const { repo, defaultBranch } = await open(projectId);
      const commit = await commitOf(repo, ref === '' ? defaultBranch : ref);
      const parsed = path === '' || path === '/' ? undefined : treePathOf(path);
      if (commit === undefined || (path !== '' && path !== '/' && parsed === undefined)) throw notFound('Tree');
      return readTree(repo, commit, { path: parsed, ...place });
    },

    /** A blob by its sha, in memory. */
    async blob(projectId: number, sha: string): Promise<Buffer> {
      const { repo } = await open(projectId);
      const parsed = shaOf(sha);
      if (parsed === undefined) throw notFound('Blob');
      const { size, content } = await readBlob(repo, parsed);
      if (size > blobBytes) {
        content.destroy();
        throw invalid('The blob is too large for this form; ask for its raw content.');
      }
      const parts: Buffer[] = [];
      for await (const part of content) parts.push(part as Buffer);
      return Buffer.concat(parts);
    },

    /** Commits and diffs between two refs; `straight`: the two as they are, otherwise from their merge base. */
    async compare(
      projectId: number,
      { from, to, straight, unidiff }: { from: string; to: string; straight: boolean; unidiff: boolean },
    ): Promise<Compared> {
      const { repo } = await open(projectId);
      const [base, tip] = await Promise.all([commitOf(repo, from), commitOf(repo, to)]);
      if (base === undefined || tip === undefined) throw notFound('Ref');
      const [commits, files] = await Promise.all([
        listCommits(repo, { from: [tip], not: [base], limit: comparedCommits }),
        diff(repo, { from: base, to: tip, mode: straight ? 'straight' : 'merge-base', unidiff }),
      ]);
      return { commits: commits.reverse(), diff: files, sameRef: base === tip };
    },

    /** Best common ancestor of two refs or more. */
    async mergeBase(projectId: number, refs: readonly string[]): Promise<Commit> {
      if (refs.length < 2) throw invalid('Provide at least 2 refs');
      const { repo } = await open(projectId);
      const shas: Sha[] = [];
      for (const ref of refs) {
        const sha = await commitOf(repo, ref);
        if (sha === undefined) throw invalid(`Could not find ref: ${ref}`);
        shas.push(sha);
      }
      let base: Sha | undefined = shas[0];
      for (const sha of shas.slice(1)) base = base === undefined ? undefined : await mergeBase(repo, base, sha);
      const commit = base === undefined ? undefined : await readCommit(repo, base);
      if (commit === undefined) throw notFound('Merge Base');
      return commit;
    },

    /** Who committed, and how often. */
    async contributors(projectId: number, ref: string): Promise<Contributor[]> {
      const { repo, defaultBranch } = await open(projectId);
      const commit = await commitOf(repo, ref === '' ? defaultBranch : ref);
      if (commit === undefined) {
        if (ref === '') return [];
        throw notFound('Commit');
      }
      return contributorsOf(repo, commit);
    },
  };
}

/** What `readRepository` gives. */
export type ReadRepository = ReturnType<typeof readRepository>;
