import { AppError, isAppError, notFound } from '@switchyard/errors';
import { describeObjects, ObjectReader, readTree, shaOf } from '../../git';
import type { OpenProjectRepository } from '../../repositories';

/** A file of a commit. */
export interface FoundFile {
  readonly path: string;
  /** Id of its content in git. */
  readonly blob: string;
  /** Bytes. */
  readonly size: number;
}

/** Files of one commit that are found at the most. */
const maxFiles = 200;

/** Bytes of a file that is read. */
const maxFileBytes = 8 << 20;

/** Folders of what others wrote: it is no statement of what the project depends on. */
const foreign = /(?:^|\/)(?:node_modules|vendor)\//;

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Finds and reads files of commits by their names. */
export const findFiles = (open: OpenProjectRepository) => ({
  /** Files with one of some names, by path, at most 200; none where the commit is not there. */
  async find(projectId: number, sha: string, names: ReadonlySet<string>): Promise<FoundFile[]> {
    const commit = shaOf(sha);
    if (commit === undefined) return [];
    const { repo } = await open(projectId);
    const tree = await readTree(repo, commit, { recursive: true }).catch((error) => {
      if (isAppError(error, 'not_found')) return { entries: [] };
      throw error;
    });
    const found = tree.entries
      // Symbolic links hold a path, not a file.
      .filter(({ type, mode, path }) => type === 'blob' && mode !== '120000' && names.has(nameOf(path)))
      .filter(({ path }) => !foreign.test(path))
      .slice(0, maxFiles);
    const objects = await describeObjects(
      repo,
      found.map((one) => one.sha),
    );
    return found.map(({ path, sha: blob }, at) => ({ path, blob, size: objects[at]?.size ?? 0 }));
  },

  /** The content of a file. Fails with `not_found`, and with `too_large` above 8 MiB. */
  async read(projectId: number, blob: string): Promise<Buffer> {
    const sha = shaOf(blob);
    const { repo } = await open(projectId);
    const [about] = sha === undefined ? [] : await describeObjects(repo, [sha]);
    if (sha === undefined || about?.type !== 'blob') throw notFound();
    if (about.size > maxFileBytes) throw new AppError('too_large');
    const reader = await ObjectReader.open(repo);
    try {
      const [object] = await reader.read([sha]);
      if (object === undefined) throw notFound();
      return object.content;
    } finally {
      reader.close();
    }
  },
});

/** What `findFiles` gives. */
export type FindFiles = ReturnType<typeof findFiles>;
