import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import { createInitialCommit, ensureRepository, openRepository, parseBranchName, zeroSha } from '../../src/git';
import { refChanges } from '../../src/repositories/application/change-refs';
import { refChangeStore } from '../../src/repositories/storage/ref-change.store';
import { repositoryStore } from '../../src/repositories/storage/repository.store';
import { service } from '../../src/service';

const projectId = 1;
let database: TestDatabase;
let db: Database;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-subscribers-'));
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'ref change subscribers test' });
});
afterAll(async () => {
  await db?.close();
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('subscribers are notified of every move, again after a failure', async () => {
  const repo = openRepository(folder, projectId);
  await ensureRepository(repo, { defaultBranch: parseBranchName('main') });
  const author = { name: 'Ada', email: 'ada@example.org', date: new Date() };
  const after = await createInitialCommit(repo, { readme: '# Hello\n', author, committer: author });
  const notified: string[] = [];
  let failing = 0;
  const changes = refChanges({
    log: refChangeStore(db, 5),
    projects: repositoryStore(db),
    storages: { at: () => repo, serves: () => true },
    followFormer: async () => undefined,
    settleElsewhere: undefined,
    externalUrl: 'https://forge.example',
    subscribers: [
      {
        async afterRefChange({ ref }) {
          if (failing > 0) {
            failing -= 1;
            throw new Error('the subscriber was told to fail');
          }
          notified.push(ref);
        },
      },
    ],
  });
  const make = (ref: string) =>
    changes.changeRefs({ projectId, actorId: 2, source: 'push', updates: [{ ref, before: zeroSha, after }] });

  await make('refs/heads/main');
  failing = 1;
  await make('refs/heads/later');
  expect(notified).toEqual(['refs/heads/main']);
  await eventually(
    async () => {
      await changes.reconcile();
      expect(notified).toEqual(['refs/heads/main', 'refs/heads/later']);
    },
    { every: 200 },
  );
});
