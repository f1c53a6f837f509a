import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gitLimits } from './git-limits';
import { flushPacket, packet } from './pkt-line';
import { GitCommandError, type GitOptions, type Repository, startGit } from './run-git';

/** A service of git's smart HTTP protocol. */
export type GitService = 'git-upload-pack' | 'git-receive-pack';

/** Content types of smart HTTP; every reply also needs `Cache-Control: no-cache`. */
export const smartHttpTypes = {
  advertisement: (service: GitService): string => `application/x-${service}-advertisement`,
  request: (service: GitService): string => `application/x-${service}-request`,
  result: (service: GitService): string => `application/x-${service}-result`,
} as const;

/** The value of a `Git-Protocol` header, when it is one git would send. */
export function gitProtocolOf(header: string | undefined): string | undefined {
  return header !== undefined && /^[a-z0-9=:.-]{1,100}$/i.test(header) ? header : undefined;
}

// A clone of a large repository over a slow line takes long; a client that disconnects, or takes nothing, ends the
// process before.
const transferTimeoutMs = 3_600_000;
/** Seconds of CPU for choosing and packing the objects of one fetch. */
const fetchCpuSeconds = 600;

// Later values win, so everything is hidden but what is named after it. Internal refs are never sent.
const visibleRefs: NonNullable<GitOptions['config']> = [
  ['transfer.hideRefs', 'refs/'],
  ['transfer.hideRefs', '!refs/heads/'],
  ['transfer.hideRefs', '!refs/tags/'],
  ['transfer.hideRefs', '!refs/merge-requests/'],
  ['uploadpack.allowTipSHA1InWant', 'false'],
  ['uploadpack.allowReachableSHA1InWant', 'false'],
  ['uploadpack.allowAnySHA1InWant', 'false'],
  ['uploadpack.allowFilter', 'true'],
];

/** How a fetch is served. */
export interface UploadPackOptions extends GitOptions {
  /** A checked `Git-Protocol` header ({@link gitProtocolOf}). */
  gitProtocol?: string;
  /** Called before the first byte of the reply: what fails before it can still be answered with a status. */
  onStart?: () => void;
}

function uploadPackOptions(options: UploadPackOptions): GitOptions {
  const env = options.gitProtocol === undefined ? options.env : { ...options.env, GIT_PROTOCOL: options.gitProtocol };
  return {
    timeoutMs: transferTimeoutMs,
    cpuSeconds: fetchCpuSeconds,
    ...options,
    env,
    config: [...visibleRefs, ...(options.config ?? [])],
  };
}

const speaksVersion2 = (gitProtocol: string | undefined): boolean =>
  gitProtocol?.split(':').includes('version=2') ?? false;

/**
 * Serves `GET …/info/refs?service=git-upload-pack`: branches, tags and `refs/merge-requests/*`. Ends `response`.
 * Rejects when the client disconnects first.
 */
export async function advertiseUploadPack(
  repo: Repository,
  response: Writable,
  options: UploadPackOptions = {},
): Promise<void> {
  const child = await startGit(
    repo,
    ['upload-pack', '--stateless-rpc', '--http-backend-info-refs', repo.path],
    uploadPackOptions(options),
  );
  child.stdin.end();
  options.onStart?.();
  if (!speaksVersion2(options.gitProtocol))
    response.write(Buffer.concat([packet('# service=git-upload-pack\n'), flushPacket]));
  await drain(child, response);
  const { code, stderr } = await child.ended;
  if (code !== 0) throw new GitCommandError('upload-pack', code, stderr);
}

/**
 * Serves `POST …/git-upload-pack` whose request is `input` ({@link readFetchRequest}); the reply is a stream. Ends
 * `response`. A client that disconnects, or takes nothing for {@link GitLimits.idleMs}, ends the process; a request
 * that git refuses has been answered in the protocol and is no error here.
 */
export async function uploadPack(
  repo: Repository,
  input: Buffer,
  response: Writable,
  options: UploadPackOptions = {},
): Promise<void> {
  const child = await startGit(repo, ['upload-pack', '--stateless-rpc', repo.path], uploadPackOptions(options));
  options.onStart?.();
  child.stdin.end(input);
  await drain(child, response);
  await child.ended;
}

/**
 * Hands the output of a process on; one that takes nothing for `idleMs` ({@link gitLimits}) is given up, and the process
 * ends. Ends `response` unless `end` is false.
 */
export async function drain(
  child: { stdout: Readable; stop(): void },
  response: Writable,
  { end = true }: { end?: boolean } = {},
): Promise<void> {
  // A chunk is asked for when the one before has been taken.
  async function* paced(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      const timer = setTimeout(() => response.destroy(new Error('the client takes nothing')), gitLimits().idleMs);
      try {
        yield chunk;
      } finally {
        clearTimeout(timer);
      }
    }
  }
  try {
    await pipeline(child.stdout, paced, response, { end });
  } catch (cause) {
    child.stop();
    throw cause;
  }
}
