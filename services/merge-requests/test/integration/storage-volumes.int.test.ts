import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import { storagesIn } from '../../src/repositories/application/storages';
import { verifyVolumes } from '../../src/repositories/application/verify-volumes';
import { repositoryStore } from '../../src/repositories/storage/repository.store';
import { service } from '../../src/service';

let server: TestDatabase;
let db: Database;
let folder: string;
beforeAll(async () => {
  server = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: server.url, applicationName: 'test' });
});
afterAll(async () => {
  await db?.close();
  await server?.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-volumes-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await db.pool.query('delete from storage_volumes');
});

const verify = (data: string, weights = new Map([['default', 1]]), served?: ReadonlySet<string>) =>
  verifyVolumes({
    volumes: { note: repositoryStore(db).noteVolume },
    storages: storagesIn(join(folder, data), weights, served),
  });

test('replicas on one volume agree on it, however many start at the same time, and leave nothing else there', async () => {
  await Promise.all(Array.from({ length: 8 }, () => verify('data')));
  await verify('data');
  expect(readdirSync(join(folder, 'data', 'repositories'))).toEqual(['volume']);
});

test('a replica on another volume is refused, be it empty or of another installation', async () => {
  await verify('data');
  const name = readFileSync(join(folder, 'data', 'repositories', 'volume'), 'utf8').trim();
  const refusal = `SWITCHYARD_DATA: ${join(folder, 'other', 'repositories')}, the volume of the storage default, is not the one where its repositories lie: its file volume does not contain ${name}`;
  await expect(verify('other')).rejects.toThrow(refusal);
  writeFileSync(join(folder, 'other', 'repositories', 'volume'), 'another one\n');
  await expect(verify('other')).rejects.toThrow(refusal);
  // What a copy of the volume has, and what an operator writes who means it.
  writeFileSync(join(folder, 'other', 'repositories', 'volume'), `${name}\n`);
  await verify('other');
});

test('each storage has a volume, and a process verifies those that it serves', async () => {
  const weights = new Map([
    ['default', 1],
    ['fast', 1],
  ]);
  await verify('one', weights, new Set(['default']));
  await verify('two', weights, new Set(['fast']));
  await expect(verify('one', weights)).rejects.toThrow(
    /storages\/fast, the volume of the storage fast, is not the one/,
  );
});

test('a volume that was named before its row was noted keeps its name', async () => {
  mkdirSync(join(folder, 'data', 'repositories'), { recursive: true });
  writeFileSync(join(folder, 'data', 'repositories', 'volume'), 'known already\n');
  await verify('data');
  const { rows } = await db.pool.query('select volume from storage_volumes');
  expect(rows).toEqual([{ volume: 'known already' }]);
});

test('a folder that cannot be made or written to ends the start', async () => {
  writeFileSync(join(folder, 'file'), '');
  await expect(verify('file')).rejects.toThrow(/^SWITCHYARD_DATA: .*, cannot be written to \(ENOTDIR\)$/);
});
