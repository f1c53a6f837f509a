import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { AppError, unavailable } from '@switchyard/errors';
import { frameReader, writeFrame } from './frames';
import { gitLimits } from './git-limits';
import {
  defaultTimeoutMs,
  GitCommandError,
  type GitResult,
  gitLimitExceeded,
  killDelayMs,
  type Repository,
  type RunOptions,
} from './git-process';
import type { StarterReply, StarterRequest, StarterStop } from './git-starter';
import { limitedCommand } from './limited-command';

/** The two ends of a starter. */
export interface StarterStreams {
  readonly input: Writable;
  readonly output: Readable;
  /** Ends the starter at once, whatever state it is in. */
  kill(): void;
}

/**
 * Milliseconds a starter has for its answer after it should have ended a command for good: 5 s more than git is given
 * to tidy up.
 */
const answerMs = killDelayMs + 5_000;

/** Keeps the process alive while something is awaited, and only then. */
const hold = (streams: StarterStreams, held: boolean): void => {
  for (const stream of [streams.input, streams.output] as (Duplex & { ref?(): void; unref?(): void })[]) {
    if (held) stream.ref?.();
    else stream.unref?.();
  }
};

type Waiting = {
  readonly resolve: (result: GitResult) => void;
  readonly reject: (error: unknown) => void;
  readonly command: string;
};

function settle({ resolve, reject, command }: Waiting, reply: StarterReply, stdout: Buffer): void {
  switch (reply.outcome) {
    case 'ended':
      resolve({ code: reply.code, stdout, stderr: reply.stderr });
      break;
    case 'refused':
      reject(new GitCommandError(command, reply.code, reply.stderr));
      break;
    case 'failed':
      reject(new Error(`git ${command}: ${reply.message}`));
      break;
    case 'too_large':
      reject(gitLimitExceeded(`git ${command}`));
      break;
    default:
      reject(new AppError(reply.outcome, undefined, { cause: `git ${command}` }));
  }
}

/** One starter, and the commands it has been given. */
function session(streams: StarterStreams) {
  const { input, output } = streams;
  const waiting = new Map<number, Waiting>();
  let open = true;

  /** The command, which is no longer waited for; undefined when it was not. */
  function take(id: number): Waiting | undefined {
    const one = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) hold(streams, false);
    return one;
  }

  function close(): void {
    open = false;
    // It ends once its commands have.
    input.end();
    // Whether the commands under way were carried out is not known.
    for (const [id, { command }] of waiting) take(id)?.reject(unavailable(`git ${command} lost its starter`));
  }

  async function listen(): Promise<void> {
    try {
      for await (const { header, body } of frameReader(output)) {
        const reply = header as StarterReply;
        const one = take(reply.id);
        if (one !== undefined) settle(one, reply, body);
      }
    } finally {
      close();
    }
  }

  input.on('error', () => undefined);
  listen().catch(() => undefined);
  return {
    isOpen: () => open,
    take,
    wait(id: number, one: Waiting): void {
      waiting.set(id, one);
      hold(streams, true);
    },
    /** Ends a starter that does not answer. */
    abandon(): void {
      close();
      streams.kill();
      output.destroy();
    },
  };
}

/**
 * Runs git through a small process of its own. Starting a process takes a copy of the starter's page tables: 2 ms for
 * one of 45 MB, 8 ms for a service of 150 MB, and all that time the service does nothing else (measured).
 * @param open starts the small process; called again after it has crashed, or was ended because it did not answer
 * @param lateMs milliseconds after a command's own time-out at which its starter is taken for hung
 */
export function gitStarter(open: () => StarterStreams, lateMs = answerMs) {
  let current: { readonly streams: StarterStreams; readonly of: ReturnType<typeof session> } | undefined;
  let next = 1;

  function opened() {
    if (current?.of.isOpen()) return current;
    const streams = open();
    current = { streams, of: session(streams) };
    return current;
  }

  return (repo: Repository | undefined, args: readonly string[], given: RunOptions): Promise<GitResult> => {
    const { input = '', signal, ...options } = given;
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const { streams: to, of: starter } = opened();
      const id = next++;
      const command = args[0] ?? '';
      const onAbort = (): void => {
        writeFrame(to.input, { stop: id } satisfies StarterStop);
        starter.take(id)?.reject(signal?.reason ?? new Error('aborted'));
      };
      // The starter ends a command that takes too long; this is for a starter that is stopped, swapped out or stuck
      // itself.
      const onLate = (): void => {
        starter.take(id)?.reject(new AppError('request_timeout', undefined, { cause: `git ${command} got no answer` }));
        starter.abandon();
      };
      const late = setTimeout(onLate, (options.timeoutMs ?? defaultTimeoutMs) + lateMs);
      const done = (): void => {
        clearTimeout(late);
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      starter.wait(id, {
        command,
        resolve: (result) => {
          done();
          resolve(result);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      writeFrame(to.input, { id, repo, args, options } satisfies StarterRequest, Buffer.from(input));
    });
  };
}

/** The starter as it was compiled; a service that runs from its sources, as tests do, takes that of the build, if there is one. */
const program = ['git-starter.js', '../../dist/git/git-starter.js']
  .map((path) => join(__dirname, path))
  .find((path) => existsSync(path));

function openProcess(starter: string): StarterStreams {
  // What it starts inherits the limit: a command of its own to set it would cost each start a millisecond, half of what
  // git itself takes.
  const { memoryBytes } = gitLimits();
  const [file, args] = limitedCommand(process.execPath, ['--max-semi-space-size=1', starter, String(memoryBytes)], {
    memoryBytes,
  });
  const child = spawn(file, args, {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
    // Signals for the service's group are the service's: it stops the starter by closing its input.
    detached: true,
  });
  child.unref();
  child.on('error', () => undefined);
  return { input: child.stdin, output: child.stdout, kill: () => child.kill('SIGKILL') };
}

/** Runs git through the starter of this process; undefined where none was built. */
export const startedGit = program === undefined ? undefined : gitStarter(() => openProcess(program));
