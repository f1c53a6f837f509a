import { notFound } from '@switchyard/errors';
import {
  type BlobPart,
  describeObjects,
  ObjectReader,
  type Repository,
  readCommit,
  resolveRevision,
  type Sha,
  type SourceEntry,
  shaOf,
  streamBlobs,
  tagsBeginningWith,
  treePathOf,
  walkSourceTree,
} from '../../git';
import type { OpenProjectRepository } from './open-project-repository';

/** Tags that are listed. */
const mostTags = 10_000;
/** Files that are read at once, and the bytes of their contents (see the proto). */
const mostFiles = 1_000;
const mostBytes = 32 << 20;
/** Contents that are streamed at once. */
const mostBlobs = 100_000;

/** A file of a commit. */
export interface SourcePlace {
  readonly commitSha: string;
  readonly path: string;
}

/** What is at a place. */
export interface SourceFile {
  /** Bytes; undefined where there is no file. */
  readonly size: number | undefined;
  /** Undefined where there is no file, or it has too many bytes. */
  readonly content: Buffer | undefined;
  /** Empty where there is no file. */
  readonly sha: string;
}

const commitOf = (text: string): Sha => {
  const sha = shaOf(text);
  if (sha === undefined) throw notFound('Commit');
  return sha;
};

async function contentsOf(repo: Repository, shas: readonly Sha[]): Promise<(Buffer | undefined)[]> {
  if (shas.length === 0) return [];
  const reader = await ObjectReader.open(repo);
  try {
    return (await reader.read(shas)).map((object) => object?.content);
  } finally {
    reader.close();
  }
}

/** Reads source code for a service that publishes it in another form; the caller has checked who may read it. */
export const readSource = ({ open }: { open: OpenProjectRepository }) => ({
  /** Tags whose names begin with a prefix, those of a commit and its ancestors where one is given. */
  async tags(projectId: number, prefix: string, reachableFrom: string): Promise<{ name: string; commit: string }[]> {
    const { repo } = await open(projectId);
    const mergedInto = reachableFrom === '' ? undefined : commitOf(reachableFrom);
    return tagsBeginningWith(repo, prefix, { mergedInto, limit: mostTags });
  },

  /** The commit that a text means; that of the default branch for none. Fails with `not_found`. */
  async commit(projectId: number, revision: string): Promise<{ sha: string; committedAt: Date }> {
    const { repo, defaultBranch } = await open(projectId);
    const found = await resolveRevision(repo, revision === '' ? defaultBranch : revision);
    const commit = found && (await readCommit(repo, found.sha));
    if (commit === undefined) throw notFound('Commit');
    return { sha: commit.id, committedAt: commit.committedAt };
  },

  /** What is at some places, in their order; contents as far as `bytes` go. */
  async files(projectId: number, places: readonly SourcePlace[], bytes: number): Promise<SourceFile[]> {
    const { repo } = await open(projectId);
    const wanted = places.slice(0, mostFiles).map(({ commitSha, path }) => {
      const [sha, within] = [shaOf(commitSha), treePathOf(path)];
      return sha === undefined || within === undefined ? undefined : `${sha}:${within}`;
    });
    const described = await describeObjects(
      repo,
      wanted.filter((name) => name !== undefined),
    );
    let at = 0;
    const found = wanted.map((name) => {
      const object = name === undefined ? undefined : described[at++];
      return object?.type === 'blob' ? object : undefined;
    });
    let left = Math.min(bytes, mostBytes);
    const read = found.map((object) => {
      if (bytes === 0 || object === undefined || object.size > left) return undefined;
      left -= object.size;
      return object.sha;
    });
    const shas = read.filter((sha) => sha !== undefined);
    const contents = await contentsOf(repo, shas);
    let next = 0;
    return found.map((object, index) => ({
      size: object?.size,
      sha: object?.sha ?? '',
      content: read[index] === undefined ? undefined : contents[next++],
    }));
  },

  /** What lies below a folder of a commit, as it comes. Fails with `not_found`. */
  async *tree(projectId: number, commitSha: string, path: string): AsyncGenerator<SourceEntry[]> {
    const { repo } = await open(projectId);
    const within = path === '' ? undefined : treePathOf(path);
    if (path !== '' && within === undefined) throw notFound('Tree');
    yield* walkSourceTree(repo, commitOf(commitSha), within);
  },

  /** Contents of files, in the order asked for, as they come. Fails with `not_found`. */
  async *blobs(projectId: number, shas: readonly string[]): AsyncGenerator<BlobPart> {
    const { repo } = await open(projectId);
    if (shas.length > mostBlobs) throw notFound('Blob');
    yield* streamBlobs(
      repo,
      shas.map((one) => {
        const sha = shaOf(one);
        if (sha === undefined) throw notFound('Blob');
        return sha;
      }),
    );
  },
});

/** What `readSource` gives. */
export type ReadSource = ReturnType<typeof readSource>;
