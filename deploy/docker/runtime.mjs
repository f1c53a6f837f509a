// Copies what runs, without sources, tests, types and maps, from a built clone into a folder:
//   node deploy/docker/runtime.mjs <folder>
// Packages are not among it: `npm ci` puts them beside.
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const target = process.argv[2];
if (target === undefined) {
  process.stderr.write('node deploy/docker/runtime.mjs <folder>\n');
  process.exit(1);
}

/** What of a workspace may run; of `src` what no compiler has turned into something in `dist`. */
const PARTS = ['package.json', 'dist', 'migrations', 'prisma/migrations', 'src'];
const SKIPPED = /\.(?:ts|tsx|map|tsbuildinfo)$/;
/** Only tests use it. */
const UNUSED = ['libs/testkit'];

const runs = (path) => statSync(path).isDirectory() || !SKIPPED.test(basename(path));
const copy = (path) => cpSync(join(root, path), resolve(target, path), { recursive: true, filter: runs });

const workspaces = ['libs', 'services'].flatMap((top) => readdirSync(join(root, top)).map((name) => `${top}/${name}`));
for (const workspace of ['protos', ...workspaces].filter((one) => !UNUSED.includes(one))) {
  for (const part of PARTS.map((one) => `${workspace}/${one}`)) if (existsSync(join(root, part))) copy(part);
}
for (const part of ['package.json', 'deploy/catalogue.mjs', 'deploy/docker', 'deploy/local']) copy(part);
