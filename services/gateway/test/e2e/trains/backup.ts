import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@switchyard/testkit';
import { makeFixture, makeUser } from '../support/fixture';
import type { System } from '../support/system';
import { makeTrainHarness } from '../support/train-harness';

/** A backup of the running installation, made while it is written to, and its restoration; last, since all starts anew. */
export function backupTests(of: () => System): void {
  describe('a backup', () => {
    const admin = (...args: string[]) => of().admin(...args);
    /** What people made, by table; queues and logs go on by themselves. */
    const tables: Readonly<Record<string, readonly string[]>> = {
      groups_admin: ['users', 'projects', 'namespaces', 'memberships', 'personal_access_tokens'],
      merge_requests: ['repositories', 'merge_requests', 'landing_receipts', 'pipelines', 'commit_statuses'],
      collaboration: ['notes', 'snippets'],
      packages: ['packages', 'package_files'],
    };
    const count = async (database: string, table: string): Promise<number> => {
      const [row] = await of().query(database, `select count(*)::int as n from public.${table}`);
      return row?.n as number;
    };
    const counts = async (): Promise<Record<string, number>> => {
      const found: Record<string, number> = {};
      for (const [database, names] of Object.entries(tables))
        for (const table of names) found[`${database}.${table}`] = await count(database, table);
      return found;
    };

    it('is whole though it is written to meanwhile, and starts again where nothing was', async () => {
      const system = of();
      const folder = mkdtempSync(join(tmpdir(), 'switchyard-backup-'));
      const place = join(folder, 'copy');
      const fixture = await makeFixture(system, await makeUser(system, 'keeper'), 'kept', folder);
      const harness = await makeTrainHarness(fixture);
      const at = `/projects/${fixture.projectId}`;
      const one = await harness.propose('kept');
      await harness.addToTrain(one);
      await harness.runCi(() => harness.expectLanded(one));
      const file = `${system.url}/api/v4${at}/packages/generic/kept/1.0/kept.txt`;
      const headers = { 'PRIVATE-TOKEN': system.rootToken };
      expect((await fetch(file, { method: 'PUT', headers, body: 'kept content' })).status).toBe(201);
      const fork = await fixture.ok('POST', `${at}/fork`, { name: 'kept-fork', path: 'kept-fork' });
      await eventually(async () =>
        expect((await fixture.ok('GET', `/projects/${fork.id}`)).import_status).toBe('finished'),
      );
      const before = await counts();
      const issues: number[] = [];
      let writing = true;
      const writer = (async () => {
        while (writing) {
          const { status, body } = await system.api('POST', `${at}/issues`, { body: { title: 'meanwhile' } });
          if (status === 201) issues.push(body.iid);
          // Written to all along, but not by as much as the machine can: the backup takes its share.
          await pause(20);
        }
      })();
      await eventually(() => expect(issues.length).toBeGreaterThan(2));
      const certain = issues.length;
      const { stdout } = await admin('backup', place).finally(() => {
        writing = false;
      });
      await writer;
      expect(stdout).toMatch(/✓ databases \(\d+ files, /);
      expect(stdout).toMatch(/✓ repositories \(\d+ files, /);
      expect(stdout).toContain('contains the keys of the installation');
      expect(statSync(place).mode & 0o077).toBe(0);
      expect(existsSync(join(system.data, 'backup-running'))).toBe(false);
      const refusal = { code: 1, stderr: expect.stringMatching(/^npm run admin: .+ is not empty\n$/) };
      await Promise.all(
        ['backup', 'restore'].map((command) => expect(admin(command, place)).rejects.toMatchObject(refusal)),
      );

      await system.stop();
      const location = join(system.data, 'postgres', 'location');
      if (existsSync(location)) rmSync(readFileSync(location, 'utf8').trim(), { recursive: true });
      for (const name of readdirSync(system.data)) rmSync(join(system.data, name), { recursive: true });
      await admin('restore', place);
      rmSync(place, { recursive: true });
      await system.start();

      expect(await counts()).toEqual(before);
      const listed = await fixture.ok('GET', `${at}/issues?per_page=100&order_by=created_at&sort=asc`);
      const restored = listed.map(({ iid }: { iid: number }) => iid);
      // A prefix of what was written, with all that was there when the backup began.
      expect(restored).toEqual(issues.slice(0, Math.min(100, restored.length)));
      expect(restored.length).toBeGreaterThanOrEqual(Math.min(100, certain));
      expect(await (await fetch(file, { headers })).text()).toBe('kept content');
      expect((await system.git(['ls-remote', system.remote(fork.path_with_namespace)])).stdout).toContain(
        'refs/heads/main',
      );
      await Promise.all([['verify-landings', '--all'], ['verify-blobs']].map((command) => admin(...command)));
      await harness.expectSound([]);
      // It goes on: a further merge request lands.
      const next = await harness.propose('after');
      await harness.addToTrain(next);
      await harness.runCi(() => harness.expectLanded(next));
      rmSync(folder, { recursive: true });
    });
  });
}
