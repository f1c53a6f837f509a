import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { AppError, unavailable } from '@switchyard/errors';
import { frameReader, writeFrame } from './frames';
import { GitCommandError, type GitResult, type Repository, type RunOptions } from './git-process';
import type { StarterReply, StarterRequest, StarterStop } from './git-starter';

/** The two ends of a starter. */
export interface StarterStreams {
  readonly input: Writable;
  readonly output: Readable;
}

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
    default:
      reject(new AppError(reply.outcome, undefined, { cause: `git ${command}` }));
  }
}

/**
 * Runs git through a small process of its own. Starting a process takes a copy of the starter's page tables: 2 ms for one of 45 MB,
 * 8 ms for a service of 150 MB, and all that time the service does nothing else (measured).
 * @param open starts the small process; called again after it has died
 */
export function gitStarter(open: () => StarterStreams) {
  let streams: StarterStreams | undefined;
  let next = 1;
  const waiting = new Map<number, Waiting>();

  async function listen(from: StarterStreams): Promise<void> {
    try {
      for await (const { header, body } of frameReader(from.output)) {
        const reply = header as StarterReply;
        const one = waiting.get(reply.id);
        waiting.delete(reply.id);
        if (waiting.size === 0) hold(from, false);
        if (one !== undefined) settle(one, reply, body);
      }
    } finally {
      streams = undefined;
      // Whether the commands under way were carried out is not known.
      for (const { reject, command } of waiting.values()) reject(unavailable(`git ${command} lost its starter`));
      waiting.clear();
    }
  }

  function opened(): StarterStreams {
    if (streams !== undefined) return streams;
    const made = open();
    streams = made;
    made.input.on('error', () => undefined);
    listen(made).catch(() => undefined);
    return made;
  }

  return (repo: Repository | undefined, args: readonly string[], given: RunOptions): Promise<GitResult> => {
    const { input = '', signal, ...options } = given;
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const to = opened();
      const id = next++;
      const onAbort = (): void => {
        writeFrame(to.input, { stop: id } satisfies StarterStop);
        waiting.delete(id);
        reject(signal?.reason ?? new Error('aborted'));
      };
      const done = (): void => signal?.removeEventListener('abort', onAbort);
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.set(id, {
        command: args[0] ?? '',
        resolve: (result) => {
          done();
          resolve(result);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      hold(to, true);
      writeFrame(to.input, { id, repo, args, options } satisfies StarterRequest, Buffer.from(input));
    });
  };
}

function openProcess(): StarterStreams {
  const child = spawn(process.execPath, ['--max-semi-space-size=1', join(__dirname, 'git-starter.js')], {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
    // Signals for the service's group are the service's: it stops the starter by closing its input.
    detached: true,
  });
  child.unref();
  child.on('error', () => undefined);
  return { input: child.stdin, output: child.stdout };
}

/** Runs git through the starter of this process; undefined where the service runs from its sources, as tests do. */
export const startedGit = existsSync(join(__dirname, 'git-starter.js')) ? gitStarter(openProcess) : undefined;
