import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { AppError, unavailable } from '@switchyard/errors';
import { gitLimits } from './git-limits';
import { limitedCommand } from './limited-command';

/** Where a command finds and leaves objects when that is not the repository's own store. */
export interface ObjectArea {
  /** Objects are written here. */
  readonly directory: string;
  /** Stores that are also read. */
  readonly alternates: readonly string[];
}

/** A bare repository on disk, possibly seen through another object area (a push not yet accepted). */
export interface Repository {
  /** Absolute path of the bare repository. */
  readonly path: string;
  readonly objects?: ObjectArea;
}

/** Bounds and surroundings of one git process. */
export interface GitOptions {
  /** Milliseconds until the process is ended; default 30,000. */
  timeoutMs?: number;
  /** Ends the process when it fires; the call rejects with the signal's reason. */
  signal?: AbortSignal;
  /**
   * True for what moves refs and holds locks on them: it neither waits for a place nor ends with its caller, and when
   * its time is up it may remove its locks first (SIGTERM, SIGKILL 3 s later). Everything else is killed at once.
   */
  holdsLocks?: boolean;
  /**
   * Seconds of CPU it may use, where these are fewer than its time-out; for a process that is started as a child of
   * this one.
   */
  cpuSeconds?: number;
  /** This process, and so everything it starts, is held to its limits already. */
  inheritsLimits?: boolean;
  /** Further environment variables. */
  env?: Record<string, string>;
  /** Further configuration, `[key, value]`, over the fixed one. */
  config?: readonly (readonly [string, string])[];
}

/** A git command that ended with an unexpected status; a bug or a broken repository, never the caller's fault. */
export class GitCommandError extends Error {
  constructor(
    readonly command: string,
    readonly code: number | undefined,
    readonly stderr: string,
  ) {
    super(`git ${command} ended with ${code ?? 'a signal'}: ${stderr.slice(0, 2000)}`);
    this.name = 'GitCommandError';
  }
}

/**
 * git came to the end of its memory or CPU, or wrote more than is read: 413. What was asked for is too large to be
 * computed, and would be the next time.
 */
export const gitLimitExceeded = (cause: string): AppError =>
  new AppError('too_large', 'The repository or the change is too large for this request.', { cause });

/** Milliseconds until a command is ended whose caller gives no time of its own. */
export const defaultTimeoutMs = 30_000;
const defaultMaxOutput = 64 * 1024 * 1024;
const stderrKept = 16 * 1024;
/**
 * Milliseconds between SIGTERM and SIGKILL of what holds locks: on the first git removes them, the second would leave a
 * ref locked.
 */
export const killDelayMs = 3_000;

const fixedConfig: readonly (readonly [string, string])[] = [
  ['safe.directory', '*'],
  ['core.hooksPath', '/dev/null'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['core.fsync', 'objects,derived-metadata,reference'],
  ['core.warnAmbiguousRefs', 'false'],
  ['core.bigFileThreshold', '50m'],
  ['core.filesRefLockTimeout', '3000'],
  ['core.packedRefsTimeout', '5000'],
  ['core.quotePath', 'true'],
  ['i18n.logOutputEncoding', 'UTF-8'],
  ['log.showSignature', 'false'],
  ['advice.graftFileDeprecated', 'false'],
  ['protocol.allow', 'never'],
];

/** Threads of a process that packs or indexes; each has a window of its own. */
const packThreads = 2;
/** Bytes that git keeps of unpacked objects unless told otherwise; fewer make it read the same ones again. */
const standardBaseCache = 96 << 20;

/**
 * How much packing and indexing keep in memory. Windows and caches together are at most three quarters of what a process
 * may allocate: the rest is for the list of objects, some 250 bytes each.
 * @param memoryBytes what one process may allocate
 */
export function packConfig(memoryBytes: number): readonly (readonly [string, string])[] {
  const share = Math.floor(memoryBytes / 16);
  return [
    ['pack.threads', String(packThreads)],
    ['pack.windowMemory', String(4 * share)],
    ['pack.deltaCacheSize', String(2 * share)],
    ['core.deltaBaseCacheLimit', String(Math.min(2 * share, standardBaseCache))],
  ];
}

/** Environment of every git process: nothing of the host's configuration, identity or locale gets in. */
export function gitEnvironment(repo: Repository | undefined, options: GitOptions = {}): Record<string, string> {
  const config = [...fixedConfig, ...packConfig(gitLimits().memoryBytes), ...(options.config ?? [])];
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: String(config.length),
  };
  config.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  if (repo) environment.GIT_DIR = repo.path;
  if (repo?.objects) {
    environment.GIT_OBJECT_DIRECTORY = repo.objects.directory;
    // A path may itself hold a colon; git takes it in quotes.
    environment.GIT_ALTERNATE_OBJECT_DIRECTORIES = repo.objects.alternates
      .map((path) => JSON.stringify(path))
      .join(':');
  }
  return { ...environment, ...options.env };
}

/** A running git process and the promise of its end. */
export interface GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /**
   * Settles when the process has ended: its exit code and the tail of its error output. Rejects on time-out, abort or
   * failure to start, and with `too_large` ({@link gitLimitExceeded}) when it came to the end of its memory or CPU.
   */
  readonly ended: Promise<{ code: number | undefined; stderr: string }>;
  /** Ends the process and its children. Harmless when it has ended. */
  stop(): void;
}

// What git and the C library say when an allocation fails; a command that git started and the system ended is reported
// by its number.
const outOfMemory = /out of memory|Cannot allocate memory|unable to create (?:threaded|thread)|died of signal 24/i;

/**
 * Has the kernel end this process first where the machine, or the container, runs out of memory: its caller gets 503, and
 * the service stays. Nothing outside of Linux.
 */
function offerToKernel(pid: number | undefined): void {
  try {
    if (pid !== undefined) writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // There is no such file, or the process has ended.
  }
}

/** Starts git as a child of this process. `args` holds literals and parsed names only; data goes through stdin. */
export function startGitHere(
  repo: Repository | undefined,
  args: readonly string[],
  options: GitOptions = {},
): GitProcess {
  options.signal?.throwIfAborted();
  // A group of its own, so that the pack-objects under an upload-pack ends with it.
  const [file, whole] = options.inheritsLimits
    ? ['git', [...args]]
    : limitedCommand('git', args, { memoryBytes: gitLimits().memoryBytes, cpuSeconds: options.cpuSeconds });
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(file, whole, {
    cwd: repo?.path ?? '/',
    env: gitEnvironment(repo, options),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  offerToKernel(child.pid);
  let failure: unknown;
  let gone = false;
  let killed = false;
  let killTimer: NodeJS.Timeout | undefined;
  const send = (name: 'SIGTERM' | 'SIGKILL'): void => {
    try {
      if (child.pid !== undefined && !gone) process.kill(-child.pid, name);
    } catch {
      // The group has ended already.
    }
  };
  const stop = (): void => {
    if (gone || killed) return;
    killed = true;
    send(options.holdsLocks ? 'SIGTERM' : 'SIGKILL');
    if (options.holdsLocks) killTimer = setTimeout(() => send('SIGKILL'), killDelayMs);
  };
  const fail = (cause: unknown): void => {
    failure ??= cause;
    stop();
  };
  const timer = setTimeout(
    () => fail(new AppError('request_timeout', undefined, { cause: `git ${args[0]}` })),
    options.timeoutMs ?? defaultTimeoutMs,
  );
  const onAbort = (): void => fail(options.signal?.reason ?? new Error('aborted'));
  options.signal?.addEventListener('abort', onAbort, { once: true });

  let stderr = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-stderrKept);
  });
  // A process that ends without reading its input is judged by its exit code.
  child.stdin.on('error', () => undefined);
  child.stdout.on('error', () => undefined);

  const ended = new Promise<{ code: number | undefined; stderr: string }>((resolve, reject) => {
    const settle = (): void => {
      gone = true;
      clearTimeout(timer);
      clearTimeout(killTimer);
      options.signal?.removeEventListener('abort', onAbort);
    };
    child.once('error', (cause) => {
      settle();
      child.stdout.destroy();
      reject(cause);
    });
    child.once('close', (code, by) => {
      settle();
      if (failure) reject(failure);
      else if (by === 'SIGXCPU' || (code !== 0 && outOfMemory.test(stderr)))
        reject(gitLimitExceeded(`git ${args[0]}: ${by ?? stderr}`));
      // Not killed by this process: the machine, or its container, ran out of memory.
      else if (by === 'SIGKILL' && !killed) reject(unavailable(new Error(`git ${args[0]} was killed`)));
      else resolve({ code: code ?? undefined, stderr });
    });
  });
  // The stream's reader may fail first; the rejection then has no handler left.
  ended.catch(() => undefined);
  return { stdin: child.stdin, stdout: child.stdout, ended, stop };
}

/** What a finished command said. */
export interface GitResult {
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** Options of `runGit`. */
export interface RunOptions extends GitOptions {
  input?: string | Buffer;
  /** Expected exit codes; default `[0]`. */
  okCodes?: readonly number[];
  /** Bytes of output after which the process is ended; default 64 MiB. */
  maxOutput?: number;
}

/** Runs git to its end, as a child of this process, and keeps its output. Refusals are those of `runGit`. */
export async function runGitHere(
  repo: Repository | undefined,
  args: readonly string[],
  options: RunOptions = {},
): Promise<GitResult> {
  const child = startGitHere(repo, args, options);
  const limit = options.maxOutput ?? defaultMaxOutput;
  const chunks: Buffer[] = [];
  let size = 0;
  let overflow = false;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > limit) {
      overflow = true;
      child.stop();
    } else chunks.push(chunk);
  });
  child.stdin.end(options.input);
  const { code, stderr } = await child.ended;
  if (overflow) throw gitLimitExceeded(`git ${args[0]} wrote over ${limit} bytes`);
  if (code === undefined || !(options.okCodes ?? [0]).includes(code))
    throw new GitCommandError(args[0] ?? '', code, stderr);
  return { code, stdout: Buffer.concat(chunks), stderr };
}
