import type { Readable, Writable } from 'node:stream';
import { isAppError } from '@switchyard/errors';
import { frameReader, writeFrame } from './frames';
import { limitGit } from './git-limits';
import { GitCommandError, type Repository, type RunOptions, runGitHere } from './git-process';

/** A command as it travels to the starter; its input is the frame's body. */
export interface StarterRequest {
  readonly id: number;
  readonly repo: Repository | undefined;
  readonly args: readonly string[];
  readonly options: Omit<RunOptions, 'input' | 'signal' | 'inheritsLimits'>;
}

/** How a command ended; its output is the frame's body. */
export type StarterReply = { readonly id: number } & (
  | { readonly outcome: 'ended'; readonly code: number; readonly stderr: string }
  /** An unexpected exit code. */
  | { readonly outcome: 'refused'; readonly code?: number; readonly stderr: string }
  | { readonly outcome: 'request_timeout' | 'too_large' | 'unavailable' }
  | { readonly outcome: 'failed'; readonly message: string }
);

/** A command that the caller no longer waits for. */
export interface StarterStop {
  readonly stop: number;
}

function failureOf(id: number, error: unknown): StarterReply {
  if (error instanceof GitCommandError) return { id, outcome: 'refused', code: error.code, stderr: error.stderr };
  if (isAppError(error, 'request_timeout')) return { id, outcome: 'request_timeout' };
  if (isAppError(error, 'too_large')) return { id, outcome: 'too_large' };
  if (isAppError(error, 'unavailable')) return { id, outcome: 'unavailable' };
  return { id, outcome: 'failed', message: error instanceof Error ? error.message : String(error) };
}

/**
 * Runs the git commands that arrive on `input`, side by side, and writes how each ended to `output`. Resolves when
 * `input` has ended and so have they: a service that crashes lets the commands under way finish, as its own children
 * would.
 */
export async function serveGit(
  input: Readable,
  output: Writable,
  { inheritsLimits = false }: Pick<RunOptions, 'inheritsLimits'> = {},
): Promise<void> {
  const running = new Map<number, { stop: AbortController; end: Promise<void> }>();
  const run = async ({ id, repo, args, options }: StarterRequest, body: Buffer, signal: AbortSignal) => {
    try {
      const { code, stdout, stderr } = await runGitHere(repo, args, {
        ...options,
        input: body,
        signal,
        inheritsLimits,
      });
      writeFrame(output, { id, outcome: 'ended', code, stderr } satisfies StarterReply, stdout);
    } catch (error) {
      writeFrame(output, failureOf(id, error));
    }
    running.delete(id);
  };
  for await (const { header, body } of frameReader(input)) {
    const message = header as StarterRequest | StarterStop;
    if ('stop' in message) running.get(message.stop)?.stop.abort(new Error('nobody waits any longer'));
    else {
      const stop = new AbortController();
      running.set(message.id, { stop, end: run(message, body, stop.signal) });
    }
  }
  await Promise.all([...running.values()].map(({ end }) => end));
}

if (require.main === module) {
  limitGit({ memoryBytes: Number(process.argv[2]) });
  // No one reads any more once the service has ended.
  process.stdout.on('error', () => undefined);
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  void serveGit(process.stdin, process.stdout, { inheritsLimits: true }).then(() => process.exit(0));
}
