import type { Readable } from 'node:stream';
import { notFound } from '@switchyard/errors';
import {
  type BlamedLines,
  blame,
  type Commit,
  type FileMeta,
  fileMeta,
  type LineRange,
  type Repository,
  readBlob,
  readCommits,
  readFileAt,
  resolveRevision,
  type Sha,
  shaOf,
  type TreePath,
  treePathOf,
} from '../../git';
import type { OpenProjectRepository } from './open-project-repository';

/** A file at a commit. */
export interface FoundFile {
  readonly file: FileMeta;
  /** Branch, tag or sha as the caller named it; the default branch when they named none. */
  readonly ref: string;
  /** Commit `ref` means. */
  readonly commitId: Sha;
}

/** Reads single files and blobs. `not_found` names what is missing: "404 Commit Not Found", "404 File Not Found". */
export function readRepositoryFile({ open }: { open: OpenProjectRepository }) {
  interface Place {
    repo: Repository;
    commitId: Sha;
    ref: string;
    path: TreePath;
  }
  async function locate(projectId: number, path: string, ref: string | undefined): Promise<Place> {
    const { repo, defaultBranch } = await open(projectId);
    const named = ref === undefined || ref === '' || ref === 'HEAD' ? defaultBranch : ref;
    const revision = await resolveRevision(repo, named);
    if (revision === undefined) throw notFound('Commit');
    const parsed = treePathOf(path);
    if (parsed === undefined) throw notFound('File');
    return { repo, commitId: revision.sha, ref: ref === undefined || ref === '' ? named : ref, path: parsed };
  }
  const describe = async (projectId: number, path: string, ref: string | undefined) => {
    const place = await locate(projectId, path, ref);
    const file = await fileMeta(place.repo, place.commitId, place.path);
    return { repo: place.repo, view: { file, ref: place.ref, commitId: place.commitId } satisfies FoundFile };
  };

  return {
    /** A file without its content. */
    describe: async (projectId: number, path: string, ref: string | undefined): Promise<FoundFile> =>
      (await describe(projectId, path, ref)).view,

    /** A file with its content, in memory. @throws AppError too_large above 50 MiB */
    async read(
      projectId: number,
      path: string,
      ref: string | undefined,
    ): Promise<{ view: FoundFile; content: Buffer }> {
      const place = await locate(projectId, path, ref);
      const { content, ...file } = await readFileAt(place.repo, place.commitId, place.path);
      return { view: { file, ref: place.ref, commitId: place.commitId }, content };
    },

    /** A file whose content is streamed once `open` is called. */
    async stream(
      projectId: number,
      path: string,
      ref: string | undefined,
    ): Promise<{ view: FoundFile; open: () => Promise<Readable> }> {
      const { repo, view } = await describe(projectId, path, ref);
      return { view, open: async () => (await readBlob(repo, view.file.blob)).content };
    },

    /** Which commit last changed each line of a file that was found. */
    async blame(
      projectId: number,
      { file, commitId }: FoundFile,
      range: LineRange | undefined,
    ): Promise<{ commit: Commit; lines: BlamedLines['lines'] }[]> {
      const { repo } = await open(projectId);
      const path = treePathOf(file.path);
      if (path === undefined) throw notFound('File');
      const found = await blame(repo, { commit: commitId, path, range });
      const commits = await readCommits(repo, [...new Set(found.map(({ sha }) => sha))]);
      const byId = new Map(commits.map((commit) => [commit.id, commit]));
      return found.flatMap(({ sha, lines }) => {
        const commit = byId.get(sha);
        return commit === undefined ? [] : [{ commit, lines }];
      });
    },

    /** A blob by its sha, as a stream. */
    async blob(projectId: number, sha: string): Promise<{ size: number; content: Readable }> {
      const { repo } = await open(projectId);
      const parsed = shaOf(sha);
      if (parsed === undefined) throw notFound('Blob');
      return readBlob(repo, parsed);
    },
  };
}

/** What `readRepositoryFile` gives. */
export type ReadRepositoryFile = ReturnType<typeof readRepositoryFile>;
