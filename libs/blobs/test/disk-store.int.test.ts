import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type BlobStore, diskStore } from '../src';
import { blobStoreContract } from './blob-store-contract';

describe('blobs on disk', () => {
  let folder: string;
  let store: BlobStore;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-blobs-'));
    store = diskStore(join(folder, 'blobs'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const files = (): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(folder, name)).isFile());

  blobStoreContract(() => store);

  it('closes what it makes to other users, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await store.write('kind/closed', Readable.from([Buffer.from('bytes')]));
    } finally {
      process.umask(before);
    }
    const made = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(made.length).toBeGreaterThan(2);
    expect(made.filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)).toEqual([]);
    await store.remove('kind/closed');
  });

  it('removes nothing while a backup is made, unless that was killed', async () => {
    await store.write('kind/kept', Readable.from([Buffer.from('bytes')]));
    const marker = join(folder, 'backup-running');
    writeFileSync(marker, '');
    await expect(store.remove('kind/kept')).rejects.toThrow('a backup is being made');
    expect((await store.open('kind/kept'))?.size).toBe(5);
    const longAgo = new Date(Date.now() - 61_000);
    utimesSync(marker, longAgo, longAgo);
    await store.remove('kind/kept');
    expect(await store.open('kind/kept')).toBeUndefined();
    rmSync(marker);
  });

  it('takes away what a killed writer left', async () => {
    const before = files();
    // A writer that never goes on: its bytes stay as a process that was killed leaves them.
    let end: (why: Error) => void = () => {};
    const stuck = new Promise<never>((_, reject) => {
      end = reject;
    });
    const writer = store.write(
      'kind/killed',
      (async function* () {
        yield Buffer.from('half');
        await stuck;
      })(),
    );
    while (files().length === before.length) await new Promise((settle) => setTimeout(settle, 5));
    expect(await store.open('kind/killed')).toBeUndefined();
    await store.remove('kind/killed');
    expect(files()).toEqual(before);
    end(new Error('ended'));
    await expect(writer).rejects.toThrow('ended');
  });

  it('refuses two concurrent writes of a key', async () => {
    let go: () => void = () => {};
    const waiting = new Promise<void>((settle) => {
      go = settle;
    });
    const first = store.write(
      'kind/twice',
      (async function* () {
        await waiting;
        yield Buffer.from('first');
      })(),
    );
    while (!files().some((name) => name.endsWith('twice.part'))) await new Promise((settle) => setTimeout(settle, 5));
    await expect(store.write('kind/twice', (async function* () {})())).rejects.toThrow('EEXIST');
    go();
    expect(await first).toBe(5);
  });
});
