import type { Writable } from 'node:stream';
import { notFound } from '@switchyard/errors';
import { type ArchiveFormat, entryAt, resolveRevision, type Sha, sendArchive, treePathOf } from '../../git';
import type { OpenProjectRepository } from './open-project-repository';

/** An archive that can be sent. */
export interface FoundArchive {
  /** Its name, and that of the folder in it, without an ending. */
  readonly name: string;
  readonly commit: Sha;
  /** `onStart` is called before the first byte. */
  readonly send: (to: Writable, onStart: () => void) => Promise<void>;
}

const flat = (text: string): string => text.replaceAll('/', '-');

/**
 * Finds what an archive of a branch, tag or commit holds (the default branch without `ref`), or of a folder or file in
 * it. It is named `<project>-<ref>-<sha>[-<path>]`. @throws AppError not_found "404 File Not Found", as GitLab
 */
export const archiveRepository =
  ({ open }: { open: OpenProjectRepository }) =>
  async (
    projectId: number,
    { ref, path, format }: { ref: string; path: string; format: ArchiveFormat },
  ): Promise<FoundArchive> => {
    const { repo, project, defaultBranch } = await open(projectId);
    const named = ref === '' ? defaultBranch : ref;
    const revision = await resolveRevision(repo, named);
    if (revision === undefined) throw notFound('File');
    const commit = revision.sha;
    const bare = path.replace(/^\/+|\/+$/g, '');
    const within = bare === '' ? undefined : treePathOf(bare);
    if (bare !== '' && (within === undefined || (await entryAt(repo, commit, within)) === undefined)) {
      throw notFound('File');
    }
    const shownRef = named === commit ? [] : [flat(named)];
    const name = [project.fullPath.split('/').at(-1), ...shownRef, commit, ...(bare === '' ? [] : [flat(bare)])].join(
      '-',
    );
    return {
      name,
      commit,
      send: (to, onStart) => sendArchive(repo, { commit, path: within, prefix: name, format }, to, { onStart }),
    };
  };

/** What `archiveRepository` gives. */
export type ArchiveRepository = ReturnType<typeof archiveRepository>;
