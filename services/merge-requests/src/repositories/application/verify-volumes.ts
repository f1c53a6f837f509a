import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Storages } from './storages';

/** Beside the repositories, so that whatever copies them takes it along. */
const nameFile = 'volume';

/** What verifying volumes needs. */
export interface VolumeEdges {
  readonly volumes: {
    /**
     * Notes the name of the volume of a storage where none is known: `name` gives it, once at a time in all processes, and a name is
     * noted only where it returns.
     * @returns the name that is known
     */
    note(storage: string, name: () => Promise<string>): Promise<string>;
  };
  readonly storages: Pick<Storages, 'served' | 'folderOf'>;
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

async function nameIn(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, nameFile), 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The name of a volume, which gets one where it has none. */
async function nameOf(folder: string): Promise<string> {
  const known = await nameIn(folder);
  if (known !== undefined) return known;
  const name = randomUUID();
  const file = join(folder, nameFile);
  await writeFile(`${file}.${name}`, `${name}\n`, { flush: true });
  await rename(`${file}.${name}`, file);
  return name;
}

/**
 * Whether one of two who make the same file is refused, and whether a file takes the place of another at once: git keeps two processes
 * from changing one ref by both.
 */
async function locks(folder: string): Promise<boolean> {
  const file = join(folder, `lock-${randomUUID()}`);
  try {
    for (const text of ['one', 'two']) {
      const lock = await open(`${file}.lock`, 'wx');
      try {
        const second = await open(`${file}.lock`, 'wx').then(
          (handle) => handle.close(),
          (error) => codeOf(error) === 'EEXIST',
        );
        if (second !== true) return false;
        await lock.writeFile(text);
        await lock.sync();
      } finally {
        await lock.close();
      }
      await rename(`${file}.lock`, file);
    }
    return (await readFile(file, 'utf8')) === 'two';
  } finally {
    for (const one of [file, `${file}.lock`]) await rm(one, { force: true });
  }
}

/**
 * Verifies that the volume of each storage is the one that other processes have, and that it locks files: a replica with a volume of its own
 * would take pushes that no other one knows.
 * @throws Error with one line that names the variable
 */
export async function verifyVolumes({ volumes, storages }: VolumeEdges): Promise<void> {
  for (const storage of storages.served) {
    const folder = storages.folderOf(storage);
    const fail = (what: string): never => {
      throw new Error(`SWITCHYARD_DATA: ${folder}, the volume of the storage ${storage}, ${what}`);
    };
    const locking = await mkdir(folder, { recursive: true, mode: 0o700 })
      .then(() => locks(folder))
      .catch((error: unknown) => fail(`cannot be written to (${codeOf(error)})`));
    if (!locking) fail('does not lock files');
    const noted = await volumes.note(storage, () => nameOf(folder));
    if ((await nameIn(folder)) !== noted)
      fail(`is not the one where its repositories lie: its file ${nameFile} does not contain ${noted}`);
  }
}
