import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from './missing-files';
import { listRefs, type Ref } from './refs';
import { repositoryExists } from './repository';
import type { Repository } from './run-git';

/** A file beside objects and refs: HEAD, the configuration, why a copy failed. */
export interface SettingsFile {
  readonly name: string;
  readonly content: Buffer;
}

/** What a repository has beside its objects. */
export interface CopyDescription {
  /** By name. */
  readonly refs: readonly Pick<Ref, 'ref' | 'sha'>[];
  readonly settings: readonly SettingsFile[];
}

/** A repository that is copied file by file, on a volume of this process or of another one. */
export interface CopySource {
  /** Its name in messages. */
  readonly name: string;
  exists(): Promise<boolean>;
  describe(signal?: AbortSignal): Promise<CopyDescription>;
  /**
   * Names of the files with its objects, loose ones first: git packs them before it removes them. Undefined where there is
   * no repository.
   */
  objectFiles(signal?: AbortSignal): Promise<readonly string[] | undefined>;
  /** Bytes of such a file; undefined: it is gone, since its objects were packed. */
  openObjectFile(name: string, signal?: AbortSignal): Promise<AsyncIterable<Buffer> | undefined>;
}

/** Milliseconds for a list of all refs. */
const listMs = 600_000;
/** Bytes of one read of a file. */
const readBytes = 1 << 20;

const looseFolder = /^[0-9a-f]{2}$/;
const looseFile = /^[0-9a-f]{38}$/;
/** What belongs to a pack. */
const packFile = /^pack-[0-9a-f]{40}\.(?:pack|rev|keep|idx)$/;

/** Whether this is a name that {@link CopySource.objectFiles} gives. */
export function isObjectFile(name: string): boolean {
  const [folder = '', file = '', ...more] = name.split('/');
  if (more.length > 0) return false;
  return folder === 'pack' ? packFile.test(file) : looseFolder.test(folder) && looseFile.test(file);
}

const namesIn = async (folder: string): Promise<string[]> => (await ifThere(readdir(folder))) ?? [];

async function objectFilesOf(repo: Repository): Promise<string[]> {
  const objects = join(repo.path, 'objects');
  const files: string[] = [];
  for (const folder of (await namesIn(objects)).filter((name) => looseFolder.test(name))) {
    const names = await namesIn(join(objects, folder));
    files.push(...names.filter((name) => looseFile.test(name)).map((name) => `${folder}/${name}`));
  }
  const packs = await namesIn(join(objects, 'pack'));
  files.push(...packs.filter((name) => packFile.test(name)).map((name) => `pack/${name}`));
  return files;
}

async function settingsOf(repo: Repository): Promise<SettingsFile[]> {
  const entries = await readdir(repo.path, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && entry.name !== 'packed-refs' && !entry.name.endsWith('.lock'))
    .map(({ name }) => name);
  return Promise.all(names.map(async (name) => ({ name, content: await readFile(join(repo.path, name)) })));
}

/** A repository on a volume of this process. */
export const sourceHere = (repo: Repository): CopySource => ({
  name: repo.path,
  exists: () => repositoryExists(repo),
  async describe(signal) {
    const refs = await listRefs(repo, ['refs/'], { timeoutMs: listMs, ...(signal && { signal }) });
    return { refs, settings: await settingsOf(repo) };
  },
  objectFiles: async () => ((await repositoryExists(repo)) ? objectFilesOf(repo) : undefined),
  async openObjectFile(name) {
    if (!isObjectFile(name)) throw new RangeError(`no file with objects: ${name}`);
    const file = await ifThere(open(join(repo.path, 'objects', name), 'r'));
    return file?.createReadStream({ highWaterMark: readBytes });
  },
});
