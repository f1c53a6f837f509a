// Makes the processes' Ed25519 keys (D3) in `keys/` of the folder given, unless they are there, and the keys that services derive from the secret:
//   SWITCHYARD_SECRET=… node deploy/docker/keys.mjs <folder>
// For volumes it takes one folder for each process instead, and puts there what that process may read, and nothing else:
//   SWITCHYARD_SECRET=… node deploy/docker/keys.mjs <folder> <folder of one folder per process>
// With a step of a rotation first, `--rotate=prepare`, `swap` or `finish`, the keys of running processes change (docs/operations.md).
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SERVICES } from '../catalogue.mjs';
import { IDENTITY_KEY_STEPS, keyFilesOf, keysOf } from '../local/data-folder.mjs';
import { LaunchFailure } from '../local/failure.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { rotate: { type: 'string' } } });
const [folder, shares] = positionals.map((path) => resolve(path));
// While it changes: the one in use, and the other one in a second line.
const secrets = (process.env.SWITCHYARD_SECRET ?? '').split('\n').filter(Boolean);
const isStep = values.rotate === undefined || Object.hasOwn(IDENTITY_KEY_STEPS, values.rotate);
if (folder === undefined || secrets.length === 0 || secrets.some((secret) => secret.length < 32) || !isStep) {
  process.stderr.write(
    'SWITCHYARD_SECRET=<32 characters or more> node deploy/docker/keys.mjs [--rotate=prepare|swap|finish] <folder> [<shares>]\n',
  );
  process.exit(1);
}
mkdirSync(join(folder, 'keys'), { recursive: true, mode: 0o700 });
try {
  keysOf(folder, secrets, SERVICES);
} catch (error) {
  if (!(error instanceof LaunchFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
if (values.rotate !== undefined) IDENTITY_KEY_STEPS[values.rotate](folder, SERVICES);
if (shares !== undefined) {
  for (const service of SERVICES) {
    const share = join(shares, service.name);
    mkdirSync(share, { recursive: true });
    chmodSync(share, 0o700);
    for (const file of keyFilesOf(service)) {
      copyFileSync(join(folder, 'keys', file), join(share, file));
      chmodSync(join(share, file), 0o600);
    }
  }
}
process.stdout.write(`${join(folder, 'keys')}\n`);
