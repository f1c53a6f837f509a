import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { keyring } from '@switchyard/secrets';
import { testDatabase } from '@switchyard/testkit';
import { rotateSecrets } from '../../src/forges';
import { gistImportStore } from '../../src/gist-imports/storage/gist-import.store';
import { importStore } from '../../src/project-imports/storage/import.store';
import { service } from '../../src/service';

it('rotate-secrets encrypts the tokens of imports that run with the new key (D7)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-keys-'));
  const server = await testDatabase({ sets: service.migrationSets });
  const db = openDatabase({ url: server.url, applicationName: 'test' });
  try {
    const [old, next] = ['01', '02'].map((digits) => digits.repeat(32)) as [string, string];
    const ringOf = (digits: string) => keyring([Buffer.from(digits, 'hex')]);
    await gistImportStore(db, ringOf(old)).add(1, 'forge.example', 'token of gists');
    const author = { userId: 1, admin: false, external: false };
    const repository = { id: '1', path: 'group/project' } as never;
    const names = { namespace: 'group', name: 'project', forge: 'github', host: '', requestId: 'request' } as const;
    const work = { key: '11111111-1111-4111-8111-111111111111', pageSize: 100, optimistic: false, files: false };
    const { import: one } = await importStore(db, ringOf(old)).add(
      { ...names, ...work, author, repository },
      'token of a project',
      ['repository'],
    );
    await db.query(sql`update project_imports set lease = null, leased_until = null where id = ${one.id}`);

    const file = join(folder, 'changing.key');
    writeFileSync(file, `${next}\n${old}\n`);
    const lines: string[] = [];
    const given = { db, bus: () => ({}) as never, write: (line: string) => void lines.push(line) };
    const rotate = () => rotateSecrets.run(given, [], { SWITCHYARD_IMPORTS_EXPORTS_SECRETS_KEY_FILE: file });
    expect(await rotate()).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/^tokens of project_imports: 1 encrypted with key/),
      expect.stringMatching(/^tokens of gist_imports: 1 encrypted with key/),
    ]);
    expect((await gistImportStore(db, ringOf(next)).claim())?.token).toBe('token of gists');
    expect((await importStore(db, ringOf(next)).claim())?.token).toBe('token of a project');

    writeFileSync(file, `${old}\n`);
    lines.length = 0;
    expect(await rotate()).toBe(1);
    expect(lines.join()).toMatch(/1 cannot be decrypted/);
  } finally {
    await db.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
});
