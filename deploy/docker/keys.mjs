// Makes the processes' Ed25519 keys (D3) in the folder given, unless they are there:
//   node deploy/docker/keys.mjs <folder>
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { identityKeysOf } from '../local/data-folder.mjs';
import { SERVICES } from '../local/services.mjs';

const folder = resolve(process.argv[2] ?? '.');
mkdirSync(join(folder, 'keys'), { recursive: true });
identityKeysOf(
  folder,
  SERVICES.map(({ name }) => name),
);
process.stdout.write(`${join(folder, 'keys')}\n`);
