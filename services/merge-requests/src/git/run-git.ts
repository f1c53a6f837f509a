import {
  GitCommandError,
  type GitOptions,
  type GitProcess,
  type GitResult,
  type Repository,
  type RunOptions,
  runGitHere,
  startGitHere,
} from './git-process';
import { admitted } from './git-work';
import { startedGit } from './starter-client';

export {
  GitCommandError,
  type GitOptions,
  type GitProcess,
  gitEnvironment,
  type ObjectArea,
  type Repository,
} from './git-process';

/** What its work takes places from: a wiki shares those of its project's repository. */
export const placeOf = (repo: Repository | undefined): string => repo?.path.replace(/\.wiki\.git$/, '.git') ?? '';

/** Runs of one command that lost the folder for its new objects. */
const maxRuns = 5;

/**
 * Packing removes each folder of loose objects that it has emptied. A command that writes an object there makes the
 * folder again; it fails when packing is between its two steps. Nothing was written then, or whole objects only.
 */
const lostItsFolder = (cause: unknown): boolean =>
  cause instanceof GitCommandError && /unable to create temporary file: No such file or directory/.test(cause.stderr);

/**
 * Runs git to its end and keeps its output, once there is a place for it ({@link admitted}). Throws {@link
 * GitCommandError} on any other exit code, `too_large` past `maxOutput` and past the limits of a process,
 * `request_timeout`, also when its caller has disconnected; `unavailable` when there is no place, and when it is not
 * known whether it was carried out.
 */
export async function runGit(
  repo: Repository | undefined,
  args: readonly string[],
  options: RunOptions = {},
): Promise<GitResult> {
  const { signal, done } = await admitted(placeOf(repo), options);
  try {
    for (let run = 1; ; run++) {
      try {
        return await (startedGit ?? runGitHere)(repo, args, { ...options, signal });
      } catch (cause) {
        if (run === maxRuns || !lostItsFolder(cause)) throw cause;
      }
    }
  } finally {
    done();
  }
}

/**
 * Starts git as a child of this process, for what is read or written as it comes, once there is a place for it.
 * Refusals are those of `runGit`.
 */
export async function startGit(
  repo: Repository | undefined,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitProcess> {
  const { signal, done } = await admitted(placeOf(repo), options);
  try {
    const child = startGitHere(repo, args, { ...options, signal });
    child.ended.then(done, done);
    return child;
  } catch (cause) {
    done();
    throw cause;
  }
}

/** {@link runGit}, its output as text. */
export async function gitText(
  repo: Repository | undefined,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  return (await runGit(repo, args, options)).stdout.toString('utf8');
}

/**
 * The output of git as it comes. Ending the iteration early ends the process; an unexpected exit code throws at the
 * end.
 */
export async function* streamGit(
  repo: Repository | undefined,
  args: readonly string[],
  options: RunOptions = {},
): AsyncGenerator<Buffer> {
  const child = await startGit(repo, args, options);
  let finished = false;
  try {
    child.stdin.end(options.input);
    for await (const chunk of child.stdout) yield chunk as Buffer;
    const { code, stderr } = await child.ended;
    finished = true;
    if (code === undefined || !(options.okCodes ?? [0]).includes(code))
      throw new GitCommandError(args[0] ?? '', code, stderr);
  } finally {
    if (!finished) {
      child.stop();
      await child.ended.catch(() => undefined);
    }
  }
}
