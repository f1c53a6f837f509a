import { join } from 'node:path';
import { Readable } from 'node:stream';
import { unprocessable } from '@switchyard/errors';
import { runToCompletion } from './git-work';
import type { Sha } from './names';
import { describeObjects } from './objects';
import { PacketReader } from './pkt-line';
import { isConnected } from './receive-pack';
import { migrateObjects, withObjectArea } from './repository';
import { GitCommandError, type GitOptions, gitText, type Repository, startGit, streamGit } from './run-git';
import { unpackPush } from './unpack-push';

/** Milliseconds for the objects of one commit to come over. */
const bringTimeoutMs = 600_000;
/** Branches of the receiving side, the newest, whose history is not sent again. */
const knownBranches = 500;

const packArguments = ['pack-objects', '--revs', '--thin', '--stdout', '--delta-base-offset', '-q'];

/** How commits come over. */
export interface BringOptions extends GitOptions {
  /** Commits of the receiver that no branch of it may reach: their history is not sent again either. */
  readonly known?: readonly Sha[];
}

const refused = () => unprocessable('The commits of the source branch cannot be brought into the target project');

/** Lines for git: a commit, but for what known ones reach. */
const wantedLines = (sha: Sha, known: readonly Sha[]): string => [sha, ...known.map((one) => `^${one}`), ''].join('\n');

/** Commits whose history a repository has: `known`, and the tips of its newest branches. */
async function knownTo(repo: Repository, known: readonly Sha[], options: GitOptions): Promise<Sha[]> {
  const newest = [`--count=${knownBranches}`, '--sort=-creatordate', '--format=%(objectname)', '--', 'refs/heads/'];
  const tips = (await gitText(repo, ['for-each-ref', ...newest], options)).split('\n');
  return [...known, ...(tips.filter((line) => line !== '') as Sha[])];
}

/** Puts a pack into an area, each object checked. @returns whether all is there then that a commit reaches */
async function take(
  area: Repository,
  pack: Readable,
  sha: Sha,
  options: GitOptions & { readonly timeoutMs: number },
): Promise<boolean> {
  const { timeoutMs } = options;
  const reader = new PacketReader(pack, 0, { idleMs: timeoutMs, until: Date.now() + timeoutMs });
  const problem = await unpackPush(area, reader, {}, options, () => undefined);
  return problem === undefined && isConnected(area, [{ new: sha }], options);
}

/**
 * Brings a commit and all it reaches from one repository into another, as a push would: a pack of what the branches of
 * the receiver lack goes through its check of each object into a quarantine, and is moved over once nothing is missing
 * there. Moves no ref; the giver is only read. Repeatable: what is there already stays. The objects stay without a ref
 * too, since maintenance drops none.
 * @throws AppError unprocessable when the objects are refused or not whole
 */
export async function bringCommit(
  from: Repository,
  into: Repository,
  sha: Sha,
  { timeoutMs = bringTimeoutMs, known = [], ...rest }: BringOptions = {},
): Promise<void> {
  const options = { ...rest, timeoutMs };
  await withObjectArea(into, async (area) => {
    const shared = await knownTo(into, known, options);
    // One process sees both stores, so that it finds what they share; no one is served from such a view.
    const both = {
      path: from.path,
      objects: { directory: join(from.path, 'objects'), alternates: [join(into.path, 'objects')] },
    };
    const child = await startGit(both, packArguments, { ...options, cpuSeconds: Math.ceil(timeoutMs / 1_000) });
    try {
      child.stdin.end(wantedLines(sha, shared));
      const isTaken = await take(area, child.stdout, sha, options).catch(async (cause: unknown) => {
        const { code, stderr } = await child.ended;
        throw code === 0 ? cause : new GitCommandError('pack-objects', code, stderr);
      });
      const { code, stderr } = await child.ended;
      if (code !== 0) throw new GitCommandError('pack-objects', code, stderr);
      if (!isTaken) throw refused();
    } finally {
      child.stop();
    }
    await runToCompletion(() => migrateObjects(area));
  });
}

/**
 * What {@link takeCommit} takes, where the receiver is on a volume of another process: a pack of a commit and all it
 * reaches, but for what those of the receiver's commits reach that are here too.
 * @param known of the receiver
 */
export async function* packCommit(
  from: Repository,
  sha: Sha,
  known: readonly Sha[],
  given: Pick<GitOptions, 'signal'> = {},
): AsyncGenerator<Buffer> {
  const options = { ...given, timeoutMs: bringTimeoutMs };
  const found = await describeObjects(from, known, options);
  const shared = known.filter((_, at) => found[at] !== undefined);
  const cpuSeconds = Math.ceil(bringTimeoutMs / 1_000);
  yield* streamGit(from, packArguments, { ...options, cpuSeconds, input: wantedLines(sha, shared) });
}

/**
 * {@link bringCommit} for a giver on a volume of another process.
 * @param packOf gives a pack of the commit, without what known commits reach
 * @throws AppError unprocessable when the objects are refused or not whole, or as `packOf` does
 */
export async function takeCommit(
  into: Repository,
  sha: Sha,
  packOf: (known: readonly Sha[]) => AsyncIterable<Uint8Array>,
  { timeoutMs = bringTimeoutMs, known = [], ...rest }: BringOptions = {},
): Promise<void> {
  const options = { ...rest, timeoutMs };
  await withObjectArea(into, async (area) => {
    const pack = Readable.from(packOf(await knownTo(into, known, options)), { objectMode: false });
    try {
      if (!(await take(area, pack, sha, options))) throw refused();
    } finally {
      pack.destroy();
    }
    await runToCompletion(() => migrateObjects(area));
  });
}
