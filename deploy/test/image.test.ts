import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cycloneDxFaults } from '@switchyard/testkit/replies';
import { SERVICES } from '../catalogue.mjs';
import { deploy } from './support/processes';

test('the image gets what runs: programs, migrations and what pages are made of, and neither types nor tests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-runtime-'));
  expect(spawnSync(process.execPath, [join(deploy, 'docker/runtime.mjs'), folder]).status).toBe(0);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const { name, database } of SERVICES) {
    expect(files).toContain(`services/${name}/dist/main.js`);
    if (database) expect(files.some((file) => file.startsWith(`services/${name}/prisma/migrations/`))).toBe(true);
  }
  expect(files).toEqual(
    expect.arrayContaining([
      'libs/events/migrations',
      'libs/machine/src/ports.mjs',
      'services/gateway/src/pages/trains/browser/page.css',
      'deploy/docker/backup-files.mjs',
      'deploy/docker/tour.mjs',
    ]),
  );
  expect(files.filter((file) => /\.(?:ts|tsx|map)$|\/test\/|^libs\/testkit|node_modules/.test(file))).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('the bill of materials of an image has what lies in it, and what needs what', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bill-'));
  const write = (path: string, content: string, mode?: number) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode });
  };
  const integrity = `sha512-${Buffer.alloc(64, 1).toString('base64')}`;
  const packages = {
    'services/alerts': { name: '@switchyard/alerts', dependencies: { a: '1', '@scope/b': '2', absent: '1' } },
    'node_modules/@switchyard/alerts': { resolved: 'services/alerts', link: true },
    'node_modules/a': { version: '1.0.0', license: 'MIT', integrity, dependencies: { c: '1' } },
    'node_modules/@scope/b': { version: '2.0.0', license: '(MIT OR Apache-2.0)', dependencies: { c: '2' } },
    'node_modules/@scope/b/node_modules/c': { version: '2.1.0', license: 'MIT and ISC' },
    'node_modules/c': { version: '1.1.0' },
    'node_modules/alias': { name: 'c', version: '1.1.0' },
  };
  write('switchyard/package.json', '{ "version": "0.1.0" }');
  write('switchyard/node_modules/.package-lock.json', JSON.stringify({ packages }));
  write('etc/os-release', 'ID=debian\nVERSION_ID="12"\n');
  write('usr/local/bin/node', '#!/bin/sh\necho v24.1.2\n', 0o755);
  const debian = [
    'Package: git\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:2.39.5-0+deb12u2\nDepends: libc6 (>= 2.34), perl | x',
    'Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.36-9\nDescription: C\n more: text',
    'Package: perl\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 5.36',
  ];
  write('var/lib/dpkg/status', `${debian.join('\n\n')}\n`);
  const file = join(folder, 'bill.json');
  const { status, stderr } = spawnSync(process.execPath, [join(deploy, 'docker/sbom.mjs'), file, folder]);
  expect([status, String(stderr)]).toEqual([0, '']);
  const text = readFileSync(file, 'utf8');
  expect(cycloneDxFaults('1.6', JSON.parse(text))).toBeNull();
  const bill = JSON.parse(text) as {
    components: { purl: string; licenses?: object[]; hashes?: object[] }[];
    dependencies: { ref: string; dependsOn?: string[] }[];
  };
  const git = 'pkg:deb/debian/git@1:2.39.5-0+deb12u2?arch=amd64&distro=debian-12';
  const libc = 'pkg:deb/debian/libc6@2.36-9?arch=amd64&distro=debian-12';
  const [a, b] = ['pkg:npm/a@1.0.0', 'pkg:npm/%40scope/b@2.0.0'];
  const [c1, c2] = ['pkg:npm/c@1.1.0', 'pkg:npm/c@2.1.0'];
  const node = 'pkg:generic/node@24.1.2';
  expect(bill.components.map(({ purl }) => purl).sort()).toEqual([a, b, c1, c2, git, libc, node].sort());
  const its = (ref: string) => bill.components.find(({ purl }) => purl === ref);
  expect(its(a)?.hashes).toEqual([{ alg: 'SHA-512', content: '01'.repeat(64) }]);
  expect([a, b, c2, c1].map((ref) => its(ref)?.licenses)).toEqual([
    [{ license: { id: 'MIT' } }],
    [{ expression: '(MIT OR Apache-2.0)' }],
    [{ license: { name: 'MIT and ISC' } }],
    undefined,
  ]);
  const needs = Object.fromEntries(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn?.toSorted()]));
  expect(needs).toMatchObject({ switchyard: [a, b, git, libc, node].sort(), [a]: [c1], [b]: [c2], [git]: [libc] });
  rmSync(folder, { recursive: true });
});
