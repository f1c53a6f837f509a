import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

const clone = join(__dirname, '../../..');

const COPIED = [
  'deploy',
  'libs',
  'protos',
  'services',
  'turbo',
  '.gitignore',
  'biome.json',
  'jest.config.cjs',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'turbo.json',
];
const LEFT_OUT = new Set(['node_modules', '.turbo', '.switchyard']);

/** A copy of this clone with its build output, for tests that change sources; packages are those of the clone. */
export function scratchCopy(): string {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'switchyard-scratch-'));
  // PostgreSQL, run as another user by root, must be able to pass.
  chmodSync(root, 0o711);
  for (const name of COPIED) {
    const filter = (source: string) => !LEFT_OUT.has(basename(source));
    cpSync(join(clone, name), join(root, name), { recursive: true, preserveTimestamps: true, filter });
  }
  const packages = join(root, 'node_modules');
  mkdirSync(join(packages, '@switchyard'), { recursive: true });
  for (const name of readdirSync(join(clone, 'node_modules'))) {
    if (name !== '@switchyard' && name !== '.cache')
      symlinkSync(join(clone, 'node_modules', name), join(packages, name));
  }
  for (const folder of ['services', 'libs']) {
    for (const name of readdirSync(join(root, folder))) {
      linkWorkspace(root, join(folder, name));
      // What npm could not hoist.
      const nested = join(clone, folder, name, 'node_modules');
      if (existsSync(nested)) symlinkSync(nested, join(root, folder, name, 'node_modules'));
    }
  }
  linkWorkspace(root, 'protos');
  return root;
}

/** Makes a workspace of a scratch copy known to the others, as `npm install` would. */
export function linkWorkspace(root: string, path: string): void {
  const scope = join(root, 'node_modules/@switchyard');
  symlinkSync(relative(scope, join(root, path)), join(scope, basename(path)));
}
