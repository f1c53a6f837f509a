import { unavailable } from '@switchyard/errors';
import { runToCompletion } from './git-work';
import { mergeRequestRef, type RefName, refKind, refNameOf, type Sha, shaOf } from './names';
import { describeObjects } from './objects';
import { isConnected } from './receive-pack';
import type { Ref } from './refs';
import { migrateObjects, withObjectArea } from './repository';
import { type GitOptions, gitText, type Repository, runGit } from './run-git';

/** Milliseconds for a list of refs. */
const listMs = 120_000;
/** Milliseconds for all objects of a repository, and for the check that nothing is missing. */
const fetchMs = 3_000_000;
/** Most refs of a repository. */
const maxRefs = 100_000;

/** HTTP alone, no redirects: both are decided by who stands between git and the other host. */
const config: NonNullable<GitOptions['config']> = [
  ['protocol.http.allow', 'always'],
  ['http.followRedirects', 'false'],
  ['fetch.fsckObjects', 'true'],
  // As for pushes: what real histories contain and clients can live with.
  ['fetch.fsck.badTimezone', 'ignore'],
  ['fetch.fsck.missingSpaceBeforeDate', 'ignore'],
  ['fetch.fsck.zeroPaddedFilemode', 'ignore'],
  ['fetch.unpackLimit', '100'],
];

/** Branches and tags of another repository. */
export interface RemoteRefs {
  readonly refs: readonly Pick<Ref, 'ref' | 'sha'>[];
  /** Heads of its merge requests by their number, as refs here. */
  readonly heads: readonly Pick<Ref, 'ref' | 'sha'>[];
  /** Full names of those that cannot be refs here, and of what there is too much of. */
  readonly impossible: readonly string[];
}

/** The number that a ref has in place of the star of a pattern; undefined for another ref. */
function numberIn(pattern: string, name: string): number | undefined {
  const [before = '', after] = pattern.split('*');
  if (after === undefined || !name.startsWith(before) || !name.endsWith(after)) return undefined;
  const digits = name.slice(before.length, name.length - after.length);
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}

/**
 * Lists branches, tags and heads of merge requests of a repository at an HTTP address.
 * @param headsPattern where those heads are, with a star for the number; empty: nowhere
 * @throws GitCommandError when it does not answer as a repository
 */
export async function listRemoteRefs(
  url: string,
  headsPattern: string,
  options: Pick<GitOptions, 'signal'> = {},
): Promise<RemoteRefs> {
  const patterns = ['refs/heads/*', 'refs/tags/*', ...(headsPattern === '' ? [] : [headsPattern])];
  const text = await gitText(undefined, ['ls-remote', '--refs', '--quiet', '--end-of-options', url, ...patterns], {
    ...options,
    config,
    timeoutMs: listMs,
  });
  const lines = text.split('\n').filter((line) => line !== '');
  const refs: { ref: RefName; sha: Sha }[] = [];
  const heads: typeof refs = [];
  const impossible: string[] = [];
  for (const [at, line] of lines.entries()) {
    const [id = '', name = ''] = line.split('\t');
    const [sha, ref, iid] = [shaOf(id), refNameOf(name), numberIn(headsPattern, name)];
    if (sha === undefined || at >= maxRefs) impossible.push(name);
    else if (iid !== undefined) heads.push({ ref: mergeRequestRef(iid, 'head'), sha });
    else if (ref !== undefined && refKind(ref).kind !== 'other') refs.push({ ref, sha });
    else impossible.push(name);
  }
  return { refs, heads, impossible };
}

/**
 * Brings objects and all they reach from a repository at an HTTP address into another one: each is checked on its way
 * into a quarantine, which is moved over once nothing is missing there. Moves no ref. Repeatable: what is there already
 * stays, and is not sent again.
 * @throws GitCommandError when the objects are refused; AppError unavailable when they are not whole
 */
export async function fetchRemoteObjects(
  url: string,
  into: Repository,
  shas: readonly Sha[],
  given: Pick<GitOptions, 'signal'> = {},
): Promise<void> {
  const options = { ...given, timeoutMs: fetchMs };
  const wanted = [...new Set(shas)];
  const known = await describeObjects(into, wanted, options);
  const missing = wanted.filter((_, at) => known[at] === undefined);
  if (missing.length === 0) return;
  await withObjectArea(into, async (area) => {
    const args = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules'];
    await runGit(area, ['fetch', ...args, '--stdin', '--end-of-options', url], {
      ...options,
      config,
      input: `${missing.join('\n')}\n`,
    });
    const isWhole = await isConnected(
      area,
      missing.map((sha) => ({ new: sha })),
      options,
    );
    if (!isWhole) throw unavailable(new Error('the other repository did not send all objects'));
    await runToCompletion(() => migrateObjects(area));
  });
}
