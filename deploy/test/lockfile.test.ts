import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from '../local/steps/install.mjs';

const root = join(__dirname, '../..');

describe('the lockfile', () => {
  it('holds the optional packages of all platforms', () => {
    const script = join(root, 'deploy/maintenance/complete-lockfile.mjs');
    const { stdout, status } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '0 packages missing: \n', status: 0 });
  });

  it('names no registry', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string; link?: boolean }>;
    };
    const addresses = Object.entries(packages).filter(([, { resolved, link }]) => resolved !== undefined && !link);
    expect(addresses).toEqual([]);
  });

  it('is what is installed', () => {
    expect(installed(root)).toBe(true);
  });
});
