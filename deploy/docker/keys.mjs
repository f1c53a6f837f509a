// Makes the processes' Ed25519 keys (D3) in `keys/` of the folder given, unless they are there, and the key that alerts has of the secret:
//   SWITCHYARD_SECRET=… node deploy/docker/keys.mjs <folder>
// For volumes it takes one folder for each process instead, and puts there what that process may read, and nothing else:
//   SWITCHYARD_SECRET=… node deploy/docker/keys.mjs <folder> <folder of one folder per process>
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { alertDigestKeyOf, identityKeysOf } from '../local/data-folder.mjs';
import { SERVICES } from '../local/services.mjs';

const [folder, shares] = process.argv.slice(2).map((path) => resolve(path));
const secret = process.env.SWITCHYARD_SECRET ?? '';
if (folder === undefined || secret.length < 32) {
  process.stderr.write('SWITCHYARD_SECRET=<32 characters or more> node deploy/docker/keys.mjs <folder> [<shares>]\n');
  process.exit(1);
}
mkdirSync(join(folder, 'keys'), { recursive: true, mode: 0o700 });
identityKeysOf(
  folder,
  SERVICES.map(({ name }) => name),
);
alertDigestKeyOf(folder, secret);
if (shares !== undefined) {
  for (const { name, variables } of SERVICES) {
    const files = [`${name}.key`];
    if (variables.includes('SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE')) files.push('public-keys.json');
    if (variables.includes('SWITCHYARD_ALERT_DIGEST_KEY_FILE')) files.push('alert-digest.key');
    mkdirSync(join(shares, name), { recursive: true });
    chmodSync(join(shares, name), 0o700);
    for (const file of files) {
      copyFileSync(join(folder, 'keys', file), join(shares, name, file));
      chmodSync(join(shares, name, file), 0o600);
    }
  }
}
process.stdout.write(`${join(folder, 'keys')}\n`);
