import { constants, copyFile, link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackBundle } from './bundle';
import { ifThere, isMissing } from './missing-files';
import { type BranchName, branchRef, refKind, type Sha } from './names';
import { type PackIndex, readPackIndexes } from './pack-index';
import { listRefs, type Ref, readRefs } from './refs';
import { ensureRepository, repositoryExists, setHead } from './repository';
import { type Repository, runGit, streamGit } from './run-git';

/** Steps of a copy, in this order. */
export type CopyStep = 'draft_made' | 'objects_linked' | 'refs_written';

/** What is copied. */
export interface CopyRequest {
  /**
   * Where HEAD of the copy may point, the best first: it points at the first of them that is copied, else at the first
   * branch by name, and at the first of these where there is no branch.
   */
  readonly defaultBranches: readonly [BranchName, ...BranchName[]];
  /** The only branch that is copied; absent: all branches and tags. */
  readonly branch?: BranchName | undefined;
  /** Called after each step. */
  readonly reached?: Readonly<Record<CopyStep, () => void>>;
}

/** How a copy ended: `gone` when there is no source, `no_branch` when the source does not have the branch. */
export type CopyOutcome = 'copied' | 'present' | 'gone' | 'no_branch';

/** The source was changed by its maintenance while it was read. */
class SourceChanged extends Error {}

/** A repack of the source moves objects at most once in a while; each attempt starts from a new list of its packs. */
const maxAttempts = 5;
/** Milliseconds for a walk over the history or for a pack; a walk of 592,000 objects took 36 s on busy cores. */
const timeoutMs = 600_000;
/** Files that are linked at the same time. */
const linksAtOnce = 16;
/** Extensions of a pack in the order in which they appear: git knows the pack by the last one. */
const packFiles = ['.pack', '.rev', '.idx'] as const;

/**
 * Gives a file of git's, which no one ever changes, a second name. Where the file system has no such names, or no more
 * for this file (65,000 on ext4), it is copied.
 */
async function share(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (cause) {
    if (isMissing(cause)) throw cause;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
}

/** Ids of all objects that the tips reach, each valid until the next one. */
async function* reachableIds(source: Repository, tips: readonly Sha[]): AsyncGenerator<Buffer> {
  const args = ['rev-list', '--objects', '--no-object-names', '--stdin'];
  const input = `${tips.join('\n')}\n`;
  let rest = '';
  const id = Buffer.alloc(20);
  for await (const chunk of streamGit(source, args, { input, timeoutMs })) {
    const text = rest + chunk.toString('latin1');
    let at = 0;
    for (; at + 41 <= text.length; at += 41) {
      id.write(text.slice(at, at + 40), 'hex');
      yield id;
    }
    rest = text.slice(at);
  }
}

/** Which objects are copied, by where they lie. */
interface CopyPlan {
  /** Packs of which every object is copied. */
  readonly whole: readonly PackIndex[];
  /** Packs of which some objects are copied. */
  readonly mixed: readonly PackIndex[];
  /** Hexadecimal ids of objects that lie in no pack. */
  readonly loose: readonly string[];
}

async function planCopy(source: Repository, tips: readonly Sha[]): Promise<CopyPlan> {
  const packs = await readPackIndexes(join(source.path, 'objects'));
  const loose: string[] = [];
  for await (const id of reachableIds(source, tips)) {
    let packed = false;
    for (const pack of packs) packed = pack.mark(id) || packed;
    if (!packed) loose.push(id.toString('hex'));
  }
  const used = packs.filter(({ marked }) => marked > 0);
  return {
    whole: used.filter(({ marked, count }) => marked === count),
    mixed: used.filter(({ marked, count }) => marked < count),
    loose,
  };
}

/** Packs what is to be copied of mixed packs, with the deltas as they are. */
async function packRest(source: Repository, objects: string, { whole, mixed }: CopyPlan): Promise<void> {
  const lines: string[] = [];
  for (const pack of mixed) {
    for (const id of pack.markedIds()) if (!whole.some((one) => one.has(id))) lines.push(id.toString('hex'));
  }
  if (lines.length === 0) return;
  const args = ['pack-objects', '-q', '--window=0', '--delta-base-offset', join(objects, 'pack', 'pack')];
  await runGit(source, args, { input: `${lines.join('\n')}\n`, timeoutMs });
}

async function linkObjects(source: Repository, draft: Repository, tips: readonly Sha[]): Promise<void> {
  const from = join(source.path, 'objects');
  const to = join(draft.path, 'objects');
  await mkdir(join(to, 'pack'), { recursive: true });
  const plan = await planCopy(source, tips);
  for (const { name } of plan.whole) {
    for (const extension of packFiles) {
      const file = join('pack', name + extension);
      await share(join(from, file), join(to, file)).catch((cause) => {
        // An old pack may have no reverse index.
        if (extension !== '.rev' || !isMissing(cause)) throw cause;
      });
    }
  }
  await packRest(source, to, plan);
  for (const folder of new Set(plan.loose.map((id) => id.slice(0, 2)))) await mkdir(join(to, folder));
  for (let at = 0; at < plan.loose.length; at += linksAtOnce) {
    const files = plan.loose.slice(at, at + linksAtOnce).map((id) => join(id.slice(0, 2), id.slice(2)));
    await Promise.all(files.map((file) => share(join(from, file), join(to, file))));
  }
}

/** Links the objects anew while the maintenance of the source moves them from file to file. */
async function linkSettled(source: Repository, draft: Repository, tips: readonly Sha[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await linkObjects(source, draft, tips);
    } catch (cause) {
      if (!isMissing(cause) || attempt === maxAttempts || !(await repositoryExists(source)))
        throw isMissing(cause) ? new SourceChanged('objects of the source moved', { cause }) : cause;
      await rm(join(draft.path, 'objects'), { recursive: true, force: true });
    }
  }
}

function headOf(refs: readonly Pick<Ref, 'ref'>[], [best, ...others]: CopyRequest['defaultBranches']): BranchName {
  const kinds = refs.map(({ ref }) => refKind(ref));
  const branches = new Set(kinds.flatMap((one) => (one.kind === 'branch' ? [one.name] : [])));
  return [best, ...others].find((name) => branches.has(name)) ?? [...branches].sort()[0] ?? best;
}

/** Writes all refs of a repository that nobody uses yet. */
export async function writeRefs(draft: Repository, refs: readonly Pick<Ref, 'ref' | 'sha'>[]): Promise<void> {
  const lines = refs.map(({ sha, ref }) => `${sha} ${ref}\n`);
  const file = await open(join(draft.path, 'packed-refs'), 'w');
  try {
    await file.writeFile(`# pack-refs with: sorted \n${lines.join('')}`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Makes `target` a copy of the branches and tags of `source`, or of one branch, without copying bytes: object files
 * never change, so both repositories name the same ones, and either may be packed or deleted. It has the objects that
 * its refs reach and no others: what only hidden refs or no refs reach is not theirs who may read the copy (ADR 38).
 * Idempotent, and safe against itself as `ensureRepository` is; also safe while the source is packed, pushed to or
 * deleted.
 * @throws AppError too_large
 */
export async function copyRepository(
  source: Repository,
  target: Repository,
  { defaultBranches, branch, reached }: CopyRequest,
): Promise<CopyOutcome> {
  if (await repositoryExists(target)) return 'present';
  if (!(await repositoryExists(source))) return 'gone';
  try {
    const refs =
      branch === undefined
        ? await listRefs(source, ['refs/heads/', 'refs/tags/'])
        : [...(await readRefs(source, [branchRef(branch)])).values()];
    if (branch !== undefined && refs.length === 0) return 'no_branch';
    const made = await ensureRepository(target, {
      defaultBranch: headOf(refs, defaultBranches),
      async fill(draft) {
        reached?.draft_made();
        if (refs.length > 0) await linkSettled(source, draft, [...new Set(refs.map(({ sha }) => sha))]);
        reached?.objects_linked();
        await writeRefs(draft, refs);
        reached?.refs_written();
      },
    });
    return made ? 'copied' : 'present';
  } catch (cause) {
    // git fails in words of its own where the folder disappears beneath it.
    if (!(await repositoryExists(source))) return 'gone';
    throw cause;
  }
}

/** The source does not have the only branch that is wanted. */
class NoBranch extends Error {}

/**
 * {@link copyRepository} for a source on a volume of another process: each object is checked, and none is shared.
 * @param content a bundle of what is copied, as `bundleFork` makes it
 * @throws AppError unprocessable for objects that git refuses, or as `content` does
 */
export async function copyFromBundle(
  content: AsyncIterable<Uint8Array>,
  target: Repository,
  { defaultBranches, branch, reached }: CopyRequest,
): Promise<Exclude<CopyOutcome, 'gone'>> {
  try {
    const made = await ensureRepository(target, {
      async fill(draft) {
        reached?.draft_made();
        const refs = (await unpackBundle(async () => draft, content))?.refs ?? [];
        if (branch !== undefined && refs.length === 0) throw new NoBranch();
        reached?.objects_linked();
        // In the order of git, as its packed refs have to be.
        await writeRefs(draft, refs);
        await setHead(draft, headOf(refs, defaultBranches));
        reached?.refs_written();
      },
    });
    return made ? 'copied' : 'present';
  } catch (cause) {
    if (cause instanceof NoBranch) return 'no_branch';
    throw cause;
  }
}

/** Lies in a repository that was to be a copy and is not, and says why. */
const errorFile = 'copy-error';

/** Makes the empty repository of a copy that failed, with the reason in it. Idempotent. */
export async function ensureUncopied(repo: Repository, defaultBranch: BranchName, error: string): Promise<void> {
  await ensureRepository(repo, { defaultBranch, fill: (draft) => writeFile(join(draft.path, errorFile), error) });
}

/** Why a repository is empty in place of a copy; undefined for all others. */
export const readCopyError = (repo: Repository): Promise<string | undefined> =>
  ifThere(readFile(join(repo.path, errorFile), 'utf8'));
