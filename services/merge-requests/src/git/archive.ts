import { spawnSync } from 'node:child_process';
import type { Writable } from 'node:stream';
import { invalid } from '@switchyard/errors';
import type { Sha, TreePath } from './names';
import { GitCommandError, type GitOptions, type Repository, startGit } from './run-git';
import { drain } from './upload-pack';

/** Forms of an archive. */
export const archiveFormats = ['tar.gz', 'tar.bz2', 'zip'] as const;

/** One of {@link archiveFormats}. */
export type ArchiveFormat = (typeof archiveFormats)[number];

/** What is packed. */
export interface Archived {
  commit: Sha;
  /** A file or folder of the commit, which has to be there; all of it without. */
  path?: TreePath;
  /** Folder that everything in the archive lies in, without a slash at its end. */
  prefix: string;
  format: ArchiveFormat;
}

// A large repository over a slow line takes long; a client that disconnects, or takes nothing, ends the process before.
const transferTimeoutMs = 1_800_000;
/** Seconds of CPU of one archive, each for git and for what compresses. */
const archiveCpuSeconds = 600;

// What the host offers does not change while the process runs.
let hasBzip2: boolean | undefined;

function requireBzip2(): void {
  hasBzip2 ??= spawnSync('bzip2', ['--help'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
  if (!hasBzip2) throw invalid('Archives of the format tar.bz2 need bzip2 on the server, which is not installed.');
}

/**
 * Streams an archive of a commit to `response`, and ends it; a client that disconnects, or takes nothing for `idleMs`
 * ({@link gitLimits}), ends the processes.
 * @throws AppError invalid for tar.bz2 where the host has no `bzip2`
 */
export async function sendArchive(
  repo: Repository,
  { commit, path, prefix, format }: Archived,
  response: Writable,
  options: GitOptions & { onStart?: () => void } = {},
): Promise<void> {
  if (format === 'tar.bz2') requireBzip2();
  const { onStart, ...bounds } = options;
  const args = ['archive', `--format=${format}`, `--prefix=${prefix}/`, commit];
  const child = await startGit(repo, path === undefined ? args : [...args, '--', path], {
    timeoutMs: transferTimeoutMs,
    cpuSeconds: archiveCpuSeconds,
    config: [['tar.tar.bz2.command', 'bzip2 -c']],
    ...bounds,
  });
  child.stdin.end();
  onStart?.();
  await drain(child, response, { end: false });
  const { code, stderr } = await child.ended;
  // An archive that is cut must not look whole.
  if (code !== 0) throw new GitCommandError('archive', code, stderr);
  response.end();
}
