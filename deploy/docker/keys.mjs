// Makes the processes' Ed25519 keys (D3) in `keys/` of the folder given, unless they are there, and the keys that services derive from the secret:
//   SWITCHYARD_SECRET=… node deploy/docker/keys.mjs <folder>
// For volumes it takes one folder for each process instead, and puts there what that process may read, and nothing else:
//   SWITCHYARD_SECRET=… node deploy/docker/keys.mjs <folder> <folder of one folder per process>
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SERVICES } from '../catalogue.mjs';
import { keyFilesOf, keysOf } from '../local/data-folder.mjs';

const [folder, shares] = process.argv.slice(2).map((path) => resolve(path));
const secret = process.env.SWITCHYARD_SECRET ?? '';
if (folder === undefined || secret.length < 32) {
  process.stderr.write('SWITCHYARD_SECRET=<32 characters or more> node deploy/docker/keys.mjs <folder> [<shares>]\n');
  process.exit(1);
}
mkdirSync(join(folder, 'keys'), { recursive: true, mode: 0o700 });
keysOf(folder, secret, SERVICES);
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
