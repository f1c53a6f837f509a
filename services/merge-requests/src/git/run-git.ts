import { GitCommandError, type GitResult, type Repository, type RunOptions, runGitHere, startGit } from './git-process';
import { startedGit } from './starter-client';

export {
  GitCommandError,
  type GitOptions,
  type GitProcess,
  gitEnvironment,
  type ObjectArea,
  type Repository,
  startGit,
} from './git-process';

/**
 * Runs git to its end and keeps its output. Throws {@link GitCommandError} on any other exit code, `too_large` past `maxOutput`,
 * `request_timeout`; `unavailable` when it is not known whether it was carried out.
 */
export const runGit = (
  repo: Repository | undefined,
  args: readonly string[],
  options: RunOptions = {},
): Promise<GitResult> => (startedGit ?? runGitHere)(repo, args, options);

/** {@link runGit}, its output as text. */
export async function gitText(
  repo: Repository | undefined,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  return (await runGit(repo, args, options)).stdout.toString('utf8');
}

/** The output of git as it comes. Ending the iteration early ends the process; an unexpected exit code throws at the end. */
export async function* streamGit(
  repo: Repository | undefined,
  args: readonly string[],
  options: RunOptions = {},
): AsyncGenerator<Buffer> {
  const child = startGit(repo, args, options);
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
