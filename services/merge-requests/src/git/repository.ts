import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ifThere, isMissing } from './missing-files';
import { type BranchName, branchNameOf, branchRef } from './names';
import { type GitOptions, gitText, type Repository, runGit } from './run-git';

/**
 * The repository of a project: `<root>/<xx>/<id>.git`, `xx` the last two hexadecimal digits of the id, so that 256
 * folders fill evenly. Touches nothing on disk. `root` is the folder of a storage.
 */
export const openRepository = (root: string, projectId: number): Repository => repositoryIn(root, projectId, '');

/** The same for the wiki of a project, which lies beside it: `<root>/<xx>/<id>.wiki.git`. */
export const openWiki = (root: string, projectId: number): Repository => repositoryIn(root, projectId, '.wiki');

function repositoryIn(root: string, projectId: number, suffix: string): Repository {
  if (!Number.isSafeInteger(projectId) || projectId < 1) throw new RangeError(`no project id: ${projectId}`);
  const shard = projectId.toString(16).padStart(2, '0').slice(-2);
  return { path: join(root, shard, `${projectId}${suffix}.git`) };
}

/** True when the repository is on disk. */
export async function repositoryExists(repo: Repository): Promise<boolean> {
  return stat(join(repo.path, 'HEAD')).then(
    () => true,
    () => false,
  );
}

/**
 * Makes the repository when it is not there, HEAD on `defaultBranch` (`main` by default). Idempotent, and safe against
 * itself: it is built under another name and moved into place, so no one ever sees half of one.
 * Returns whether this call made it.
 * @param options.fill puts contents into it before it is seen
 */
export async function ensureRepository(
  repo: Repository,
  options: { defaultBranch?: BranchName; fill?: (draft: Repository) => Promise<void> } = {},
): Promise<boolean> {
  if (await repositoryExists(repo)) return false;
  const parent = join(repo.path, '..');
  await mkdir(parent, { recursive: true });
  const draft = join(parent, `.new-${randomBytes(8).toString('hex')}`);
  try {
    await initRepository({ path: draft }, options.defaultBranch ?? 'main');
    await options.fill?.({ path: draft });
    await rename(draft, repo.path);
    return true;
  } catch (cause) {
    if (await repositoryExists(repo)) return false;
    throw cause;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Makes an empty repository, HEAD on a branch. */
export async function initRepository(repo: Repository, defaultBranch: string): Promise<void> {
  await runGit(undefined, [
    'init',
    '--quiet',
    '--bare',
    '--object-format=sha1',
    '--template=',
    `--initial-branch=${defaultBranch}`,
    repo.path,
  ]);
  await mkdir(join(repo.path, 'info'), { recursive: true });
}

/** Points HEAD at a branch, which need not exist yet. */
export async function setHead(repo: Repository, branch: BranchName): Promise<void> {
  await runGit(repo, ['symbolic-ref', 'HEAD', branchRef(branch)], { holdsLocks: true });
}

/** The branch HEAD points at, existing or not. */
export async function readHead(repo: Repository): Promise<BranchName | undefined> {
  const text = await readFile(join(repo.path, 'HEAD'), 'utf8');
  return text.startsWith('ref: refs/heads/')
    ? branchNameOf(text.slice('ref: refs/heads/'.length).trimEnd())
    : undefined;
}

/** Removes the repository. It leaves its name at once; its files follow. Idempotent. */
export async function deleteRepository(repo: Repository): Promise<void> {
  const grave = await buryRepository(repo);
  if (grave !== undefined) await rm(grave, { recursive: true, force: true });
}

/**
 * Takes its name from a repository, in a moment. Its files stay until `sweepLeftovers` finds them. Idempotent.
 * @returns where they are; undefined when there was none
 */
export const buryRepository = (repo: Repository): Promise<string | undefined> =>
  moveAway(repo, `.deleted-${randomBytes(8).toString('hex')}`);

/** Moves a repository that is no project's to `.unnamed-<id>-<random>` beside it, where nothing reads it. Idempotent. */
export async function setRepositoryAside(repo: Repository): Promise<void> {
  await moveAway(repo, `.unnamed-${basename(repo.path, '.git')}-${randomBytes(8).toString('hex')}`);
}

/** Where the repository is then; undefined when there is none. */
async function moveAway(repo: Repository, name: string): Promise<string | undefined> {
  const path = join(repo.path, '..', name);
  return ifThere(rename(repo.path, path).then(() => path));
}

/** What lies in the object store of a repository. */
export interface ObjectCounts {
  /** Loose objects. */
  readonly loose: number;
  readonly packs: number;
  /** Bytes on disk, those of leftovers included. */
  readonly size: number;
}

/** Counts what lies in a repository; one process of git. */
export async function countObjects(repo: Repository, options: GitOptions = {}): Promise<ObjectCounts> {
  const counts = new Map(
    (await gitText(repo, ['count-objects', '-v'], options)).split('\n').map((line) => {
      const [key = '', value = '0'] = line.split(': ');
      return [key, Number(value)];
    }),
  );
  const of = (key: string): number => counts.get(key) ?? 0;
  const size = (of('size') + of('size-pack') + of('size-garbage')) * 1024;
  return { loose: of('count'), packs: of('packs'), size };
}

/**
 * Runs `work` with a temporary object store in front of the repository's own, which is removed afterwards whatever
 * happens.
 */
export async function withObjectArea<T>(
  repo: Repository,
  work: (area: Repository & { objects: NonNullable<Repository['objects']> }) => Promise<T>,
): Promise<T> {
  const store = repo.objects?.directory ?? join(repo.path, 'objects');
  // The name is one that `git prune` knows as an abandoned quarantine, should this process die here.
  const directory = join(repo.path, 'objects', `tmp_objdir-${randomBytes(8).toString('hex')}`);
  await mkdir(join(directory, 'pack'), { recursive: true });
  try {
    return await work({
      path: repo.path,
      objects: { directory, alternates: [store, ...(repo.objects?.alternates ?? [])] },
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Moves a file into a folder that is made where it is missing; packing may remove an empty one at any time. */
async function moveInto(folder: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(path, join(folder, basename(path)));
    } catch (cause) {
      if (attempt === 5 || !isMissing(cause)) throw cause;
      await mkdir(folder, { recursive: true });
    }
  }
}

/**
 * Moves every object of an area into the store behind it. A pack becomes visible by its `.idx`, which therefore goes
 * last. An object that is there already stays as it is.
 */
export async function migrateObjects(
  area: Repository & { objects: NonNullable<Repository['objects']> },
): Promise<void> {
  const target = area.objects.alternates[0] ?? join(area.path, 'objects');
  const rank = (name: string): number =>
    ['.keep', '.pack', '.rev', '.idx'].findIndex((suffix) => name.endsWith(suffix));
  for (const folder of await readdir(area.objects.directory, { withFileTypes: true })) {
    if (!folder.isDirectory() || !/^([0-9a-f]{2}|pack)$/.test(folder.name)) continue;
    const names = await readdir(join(area.objects.directory, folder.name));
    if (names.length === 0) continue;
    for (const name of names.filter((name) => !name.startsWith('tmp_')).sort((a, b) => rank(a) - rank(b))) {
      await moveInto(join(target, folder.name), join(area.objects.directory, folder.name, name));
    }
  }
}
