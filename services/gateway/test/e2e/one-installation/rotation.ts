import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@switchyard/testkit';
import { Client } from 'pg';
import type { System } from '../support/system';

const _run = promisify(execFile);

/** Keys and passwords change while requests go on, and no process starts again. */
export function rotationTests(of: () => System): void {
  describe('rotation', () => {
    const kept = (name: string): string => readFileSync(join(of().data, name), 'utf8');
    const admin = (...args: string[]) => of().admin('rotate', ...args);
    const read = async () => (await of().api('GET', '/projects?per_page=1')).status;

    /** Statuses of requests that were sent while `work` ran: reads of two services, and a write that calls a third. */
    async function during(work: () => Promise<unknown>): Promise<Set<number>> {
      const statuses = new Set<number>();
      let going = true;
      const sending = (async () => {
        const { body } = await of().api('POST', '/projects', { body: { name: `rotation ${Date.now()}` } });
        for (let at = 0; going; at += 1) {
          const issue = { title: `Issue ${at}` };
          statuses.add((await of().api('POST', `/projects/${body.id}/issues`, { body: issue })).status);
          statuses.add((await of().api('GET', `/projects/${body.id}/merge_requests`)).status);
        }
      })();
      await work().finally(() => {
        going = false;
      });
      await sending;
      return statuses;
    }

    it('identity keys', async () => {
      const [processes, key, publicKeys] = ['processes.json', 'keys/gateway.key', 'keys/public-keys.json'].map(kept);
      expect(await during(() => admin('identity-keys', '1'))).toEqual(new Set([201, 200]));
      expect(kept('processes.json')).toBe(processes);
      expect(kept('keys/gateway.key')).not.toBe(key);
      const before = Object.values(JSON.parse(publicKeys as string)) as string[];
      const after = Object.values(JSON.parse(kept('keys/public-keys.json'))) as string[];
      expect(after).toHaveLength(before.length);
      expect(after.filter((pem, at) => pem.includes(before[at] as string))).toEqual([]);
    });

    it('the secret', async () => {
      const { api, query } = of();
      const group = (await api('POST', '/groups', { body: { name: 'rotation', path: 'rotation' } })).body;
      const variable = { key: 'KEPT', value: 'kept through all' };
      expect((await api('POST', `/groups/${group.id}/variables`, { body: variable })).status).toBe(201);
      const { id } = (await api('GET', '/user')).body;
      const made = { name: 'rotation', scopes: ['api'] };
      const { body: token } = await api('POST', `/users/${id}/personal_access_tokens`, { body: made });
      const keyId = async () => {
        const sql = `select encode(substring(value from 2 for 4), 'hex') as id from variables where key = 'KEPT'`;
        return (await query('groups_admin', sql))[0]?.id;
      };
      const readings = new Set<unknown>();
      const [before, processes] = [await keyId(), kept('processes.json')];
      const keys = ['token-digest', 'alert-digest', 'mail-links'].map((name) => kept(`keys/${name}.key`));
      const once = () =>
        api('POST', '/groups', {
          headers: { 'Idempotency-Key': 'before and after' },
          body: { name: 'rotation once', path: 'rotation-once' },
        });
      const answered = await once();
      const secret = kept('secret');
      let going = true;
      const reading = (async () => {
        while (going) {
          const { body } = await api('GET', `/groups/${group.id}/variables/KEPT`, { token: token.token });
          readings.add(body.value);
        }
      })();
      const statuses = await during(() => admin('secret', '1')).finally(() => {
        going = false;
      });
      await reading;
      expect(statuses).toEqual(new Set([201, 200]));
      expect([...readings]).toEqual([variable.value]);
      expect(kept('processes.json')).toBe(processes);
      expect(await keyId()).not.toBe(before);
      const after = ['token-digest', 'alert-digest', 'mail-links'].map((name) => kept(`keys/${name}.key`));
      expect(after.slice(0, 2)).toEqual(keys.slice(0, 2));
      expect(answered.status).toBe(201);
      expect((await once()).body).toEqual(answered.body);
      // One new secret, and keys of it alone: what the old one encrypted would not be read any more.
      expect([after[2]?.length, after[2] === keys[2], kept('secret').length, kept('secret') === secret]).toEqual([
        65,
        false,
        65,
        false,
      ]);
    });

    it('database passwords', async () => {
      const [processes, passwords] = ['processes.json', 'database-passwords.json'].map(kept);
      expect(await during(() => admin('database-passwords'))).toEqual(new Set([201, 200]));
      const [before, after] = [passwords as string, kept('database-passwords.json')].map((text) => JSON.parse(text));
      expect(Object.keys(after)).toEqual(Object.keys(before));
      expect(Object.keys(after).filter((role) => after[role] === before[role])).toEqual([]);
      // Every connection is a new one from here on.
      await of().query(
        'groups_admin',
        `select pg_terminate_backend(pid) from pg_stat_activity where usename like 'switchyard%'`,
      );
      await eventually(async () => expect(await read()).toBe(200));
      expect(kept('processes.json')).toBe(processes);
    });

    it('the password of the superuser', async () => {
      const [processes, before] = ['processes.json', 'postgres/superuser-password'].map(kept) as [string, string];
      const [{ port } = {}] = await of().query('groups_admin', 'select inet_server_port() as port');
      const connect = async (password: string) => {
        const server = { host: '127.0.0.1', port: port as number, database: 'postgres' };
        const client = new Client({ ...server, user: 'postgres', password: password.trim() });
        await client.connect();
        await client.end();
      };
      expect(await during(() => admin('superuser-password'))).toEqual(new Set([201, 200]));
      await connect(kept('postgres/superuser-password'));
      await expect(connect(before)).rejects.toThrow(/password authentication failed/);
      expect(kept('processes.json')).toBe(processes);
    });

    it('refuses what it does not know', async () => {
      await expect(admin('all')).rejects.toMatchObject({ stderr: expect.stringMatching(/: rotate identity-keys/) });
      await expect(admin('identity-keys', 'soon')).rejects.toMatchObject({
        stderr: expect.stringMatching(/<seconds>/),
      });
    });
  });
}
