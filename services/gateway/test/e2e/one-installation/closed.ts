import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '../../../../../deploy/catalogue.mjs';
import { environmentOf } from '../../../../../deploy/local/services.mjs';
import { services } from '../support/processes';
import { type System, startSystem } from '../support/system';

/** Starts an installation under a umask that closes nothing, and with variables that not every process may have. */
export async function startUnderOpenUmask(): Promise<System> {
  const umask = process.umask(0);
  try {
    return await startSystem({
      SMTP_FROM: 'noreply@forge.example',
      PGPASSWORD: 'word',
      CI_TOKEN: 'word',
      SWITCHYARD_OUTBOUND_ALLOWED: '127.0.0.1',
    });
  } finally {
    process.umask(umask);
  }
}

/** What processes know, and what others of the machine can read. The installation is one of `startUnderOpenUmask`. */
export const closedTests = (started: () => System): void => {
  let system: System;
  beforeAll(() => {
    system = started();
  });

  (process.platform === 'linux' ? test : test.skip)('each process holds what it reads of the environment', () => {
    const processes = JSON.parse(readFileSync(join(system.data, 'processes.json'), 'utf8')) as {
      name: string;
      pid: number;
    }[];
    const held = new Map(
      processes.map(({ name, pid }) => {
        const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
        return [
          name,
          Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s).slice(0, 2) as [string, string])),
        ];
      }),
    );
    // What Node adds for the channel to its parent.
    const channel = /^NODE_CHANNEL_/;
    for (const name of services) {
      const given = Object.keys(held.get(name) ?? {}).filter((variable) => !channel.test(variable));
      expect(given.length).toBeGreaterThan(5);
      expect([name, given.filter((variable) => !(variable in environmentOf(name, held.get(name) ?? {})))]).toEqual([
        name,
        [],
      ]);
    }
    const holders = (text: string) =>
      [...held].filter(([, env]) => JSON.stringify(env).includes(text)).map(([name]) => name);
    const passwords = JSON.parse(readFileSync(join(system.data, 'database-passwords.json'), 'utf8')) as Record<
      string,
      string
    >;
    expect(holders(system.rootToken)).toEqual(['groups-admin']);
    expect(holders('noreply@forge.example')).toEqual(['collaboration']);
    // The secret and passwords are in files that their service is shown.
    expect(holders(readFileSync(join(system.data, 'secret'), 'utf8').trim())).toEqual([]);
    expect(holders(JSON.stringify(join(system.data, 'secret')))).toEqual(['groups-admin']);
    expect(Object.values(passwords).flatMap(holders)).toEqual([]);
    expect(Object.keys(passwords).map((role) => [role, holders(`${role}.password`)])).toEqual([
      ...SERVICES.flatMap(({ name, database }) => (database === undefined ? [] : [[database, [name]]])),
      ['switchyard_log', []],
    ]);
  });

  test('others read nothing of the data folder, whatever the umask of the launcher, repositories included', async () => {
    const project = { name: 'closed', initialize_with_readme: true };
    const made = await system.api('POST', '/projects', { token: system.rootToken, body: project });
    expect(made.status).toBe(201);
    const tree = await system.api('GET', `/projects/${(made.body as { id: number }).id}/repository/branches`, {
      token: system.rootToken,
    });
    expect(tree.body).toHaveLength(1);
    const files = readdirSync(system.data, { recursive: true }) as string[];
    expect(files.some((file) => /^repositories\/.*\/objects\/../.test(file))).toBe(true);
    const passable = process.getuid?.() === 0 ? ['', 'postgres'] : [];
    const open = ['', ...files].filter((file) => {
      const path = join(system.data, file);
      return (
        ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & (passable.includes(file) ? 0o066 : 0o077)) !== 0
      );
    });
    expect(open).toEqual([]);
  });
};
