import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installed } from '../local/steps/install.mjs';

const root = join(__dirname, '../..');

describe('the lockfile', () => {
  const check = (script: string) => spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });

  it('holds the optional packages of all platforms and their integrity, and names no registry', () => {
    const { stdout, status } = check(join(root, 'deploy/maintenance/complete-lockfile.mjs'));
    expect({ stdout, status }).toEqual({
      stdout: '0 packages missing: \n0 entries with an address: \n0 entries without integrity: \n',
      status: 0,
    });
  });

  it('is looked through to the last entry', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-lockfile-'));
    const script = join(folder, 'deploy/maintenance/complete-lockfile.mjs');
    mkdirSync(join(folder, 'deploy/maintenance'), { recursive: true });
    copyFileSync(join(root, 'deploy/maintenance/complete-lockfile.mjs'), script);
    const packages = {
      '': { name: 'project' },
      'libs/one': { name: 'one' },
      'node_modules/one': { resolved: 'libs/one', link: true },
      'node_modules/good': { version: '1.0.0', integrity: 'sha512-x', optionalDependencies: { 'left-out': '^1.0.0' } },
      'node_modules/good/node_modules/bare': { version: '1.0.0', optional: true },
      'node_modules/elsewhere': { version: '1.0.0', integrity: 'sha512-x', resolved: 'https://registry.example/x.tgz' },
      'node_modules/of-one-platform': { version: '1.0.0', optional: true, os: ['aix'] },
    };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
    const { stdout, status } = check(script);
    rmSync(folder, { recursive: true });
    expect({ stdout, status }).toEqual({
      stdout:
        '1 packages missing: left-out\n1 entries with an address: node_modules/elsewhere\n2 entries without integrity: node_modules/good/node_modules/bare, node_modules/left-out\n',
      status: 1,
    });
  });

  it('is what is installed', () => {
    expect(installed(root)).toBe(true);
  });
});
