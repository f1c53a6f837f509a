import { Readable } from 'node:stream';
import { unprocessable } from '@switchyard/errors';
import { runToCompletion } from './git-work';
import { type BranchName, branchRef, refNameOf, type Sha, shaOf } from './names';
import { PacketReader } from './pkt-line';
import { isConnected } from './receive-pack';
import { type Ref, readRefs } from './refs';
import { migrateObjects, withObjectArea } from './repository';
import { type GitOptions, type Repository, streamGit } from './run-git';
import { type UnpackLimits, unpackPush } from './unpack-push';

// Whoever takes the output may be slow; a client that disconnects ends the process before.
const transfer: GitOptions = { timeoutMs: 1_800_000, cpuSeconds: 600 };

/** What a bundle holds: the heads of merge requests keep what no branch has any more. */
const bundled = ['refs/heads', 'refs/tags', 'refs/merge-requests/*/head'];

/** A git bundle of all branches and tags and of the heads of merge requests, as it comes; nothing where there are none. */
export const bundleRepository = (repo: Repository): AsyncGenerator<Buffer> => bundle(repo, bundled);

/** A git bundle of what a fork gets (ADR 38), as it comes; nothing where there is nothing. @param branch the only one */
export async function* bundleFork(repo: Repository, branch: BranchName | undefined): AsyncGenerator<Buffer> {
  if (branch === undefined) yield* bundle(repo, ['refs/heads', 'refs/tags']);
  else if ((await readRefs(repo, [branchRef(branch)])).size > 0)
    yield* streamGit(repo, ['bundle', 'create', '-', branchRef(branch)], transfer);
}

async function* bundle(repo: Repository, globs: readonly string[]): AsyncGenerator<Buffer> {
  let isEmpty = true;
  // git makes no bundle of nothing, and says so as it says that something went wrong.
  for await (const _ of streamGit(repo, ['for-each-ref', '--count=1', '--format=%(refname)', '--', ...globs]))
    isEmpty = false;
  if (isEmpty) return;
  yield* streamGit(repo, ['bundle', 'create', '-', ...globs.map((glob) => `--glob=${glob}`)], transfer);
}

/** Bytes of the list of refs before the objects of a bundle: a hundred thousand of them. */
const maxHeader = 16 << 20;
/** Milliseconds between two parts of a bundle, and for all of it. */
const idleMs = 120_000;
const unpackMs = 3_000_000;
/** What many pushes brought, each with the time of a push, comes in at once. */
const limits: UnpackLimits = { tailMs: 600_000 };

/** A bundle that cannot be brought in. */
const badBundle = (problem: string) => unprocessable(`The repository of the archive cannot be read: ${problem}`);

const headerEnd = Buffer.from('\n\n');
/** Bytes before the objects of a pack. */
const packHeader = 12;

/** The lines before the objects of a bundle, and what follows them; undefined for nothing at all. */
async function splitHeader(
  content: AsyncIterable<Uint8Array>,
): Promise<{ readonly lines: readonly string[]; readonly rest: AsyncGenerator<Uint8Array> } | undefined> {
  const chunks = content[Symbol.asyncIterator]();
  let read: Buffer = Buffer.alloc(0);
  let end = -1;
  while (end < 0) {
    const { value, done } = await chunks.next();
    if (done && read.length === 0) return undefined;
    if (done || read.length > maxHeader) throw badBundle('it has no list of refs');
    const from = Math.max(0, read.length - 1);
    read = Buffer.concat([read, value]);
    end = read.indexOf(headerEnd, from);
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    yield read.subarray(end + headerEnd.length);
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return { lines: read.toString('utf8', 0, end).split('\n'), rest: rest() };
}

/** Refs of a bundle that can be refs here, and how many cannot. */
function refsIn([signature = '', ...lines]: readonly string[]): {
  readonly refs: Pick<Ref, 'ref' | 'sha'>[];
  readonly skipped: number;
} {
  if (!/^# v[23] git bundle$/.test(signature)) throw badBundle('it is no bundle');
  const listed = lines.filter((line) => !line.startsWith('@'));
  if (lines.some((line) => line.startsWith('@') && line !== '@object-format=sha1'))
    throw badBundle('it needs what is not known here');
  if (listed.some((line) => line.startsWith('-'))) throw badBundle('it is not whole');
  const refs = listed.flatMap((line) => {
    const [sha, ref] = [shaOf(line.slice(0, 40)), refNameOf(line.slice(41))];
    return sha === undefined || ref === undefined ? [] : [{ ref, sha }];
  });
  return { refs, skipped: listed.length - refs.length };
}

/**
 * Brings the objects of a bundle into a repository, each checked on its way into a quarantine, which is moved over once
 * nothing is missing there. Moves no ref. Repeatable.
 * @param open gives the repository; not called for no bundle at all
 * @returns the repository and the refs of the bundle; undefined for no bundle at all
 * @throws AppError unprocessable for what is no whole bundle, or has objects that git refuses
 */
export async function unpackBundle(
  open: () => Promise<Repository>,
  content: AsyncIterable<Uint8Array>,
  given: Pick<GitOptions, 'signal'> = {},
): Promise<(ReturnType<typeof refsIn> & { readonly repo: Repository }) | undefined> {
  const split = await splitHeader(content);
  if (split === undefined) return undefined;
  const found = refsIn(split.lines);
  const repo = await open();
  const options = { ...given, timeoutMs: unpackMs };
  await withObjectArea(repo, async (area) => {
    const stream = Readable.from(split.rest, { objectMode: false });
    try {
      const reader = new PacketReader(stream, 0, { idleMs, until: Date.now() + unpackMs });
      const head = await reader.peek(packHeader);
      if (head.length < packHeader || head.toString('latin1', 0, 4) !== 'PACK') throw badBundle('it has no objects');
      const problem = await unpackPush(area, reader, limits, options, () => undefined);
      if (problem !== undefined) throw badBundle([problem.summary, ...problem.details.slice(0, 3)].join('; '));
      const tips: { readonly new: Sha }[] = found.refs.map(({ sha }) => ({ new: sha }));
      if (!(await isConnected(area, tips, options))) throw badBundle('it lacks objects');
      await runToCompletion(() => migrateObjects(area));
    } finally {
      stream.destroy();
    }
  });
  return { ...found, repo };
}
