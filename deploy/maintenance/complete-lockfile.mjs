// Adds to package-lock.json the optional packages of other platforms that `npm install` left out because its registry
// does not carry them. Without them `npm ci` refuses the lockfile, on every platform. Then has npm look for the integrity of every
// entry that has none; where the registry does not carry a package either, its entry stays without until the script is run with
// one that does. Run it after changing dependencies:
//   node deploy/maintenance/complete-lockfile.mjs [--check]
// With --check nothing is written or fetched. A failure is: a package that is missing; an address of a registry; and an entry without integrity,
// unless it is an optional package of one platform.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'windows',
];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];
const SPELLINGS = { 64: 'x64', armv7: 'arm', aarch64: 'arm64' };

const file = join(resolve(dirname(fileURLToPath(import.meta.url)), '../..'), 'package-lock.json');
const lockfile = JSON.parse(readFileSync(file, 'utf8'));
const added = complete(lockfile.packages);
if (process.argv.includes('--check')) check();
else write();

function check() {
  const entries = Object.entries(lockfile.packages).filter(([path, entry]) => isFetched(path, entry));
  const problems = {
    'packages missing': added,
    'entries with an address': entries.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path),
    'entries without integrity': entries
      .filter(([, entry]) => entry.integrity === undefined && !isOfOnePlatform(entry))
      .map(([path]) => path),
  };
  for (const [what, paths] of Object.entries(problems))
    process.stdout.write(`${paths.length} ${what}: ${paths.join(', ')}\n`);
  if (Object.values(problems).some(({ length }) => length > 0)) process.exit(1);
}

function write() {
  const bare = Object.entries(lockfile.packages).filter(
    ([path, entry]) => isFetched(path, entry) && entry.integrity === undefined,
  );
  const found = integritiesOf(bare);
  for (const [at, [path, { version, ...rest }]] of bare.entries()) {
    if (found[at] !== undefined) lockfile.packages[path] = { version, integrity: found[at], ...rest };
  }
  if (added.length > 0 || found.some(Boolean)) {
    lockfile.packages = Object.fromEntries(
      Object.entries(lockfile.packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
    );
    writeFileSync(file, `${JSON.stringify(lockfile, undefined, 2)}\n`);
  }
  const without = found.filter((integrity) => integrity === undefined).length;
  process.stdout.write(
    `${added.length} packages added, ${found.length - without} integrities added, ${without} entries without one\n`,
  );
}

/** Neither the project itself nor one of its workspaces. */
function isFetched(path, entry) {
  return path.includes('node_modules/') && !entry.link;
}

function isOfOnePlatform({ optional, os, cpu }) {
  return optional === true && (os !== undefined || cpu !== undefined);
}

/** What npm's registry says of each entry; undefined where it does not carry the package. */
function integritiesOf(entries) {
  if (entries.length === 0) return [];
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-lockfile-'));
  try {
    const optionalDependencies = Object.fromEntries(
      entries.map(([path, { name, version }], at) => [
        `entry-${at}`,
        `npm:${name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
      ]),
    );
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, optionalDependencies }));
    // Forced: none of them is for this platform.
    const flags = ['--package-lock-only', '--ignore-scripts', '--force', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    return entries.map((_, at) => packages[`node_modules/entry-${at}`]?.integrity);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function complete(packages) {
  const added = [];
  for (const [path, entry] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
      if (resolves(packages, path, name)) continue;
      packages[`node_modules/${name}`] = {
        version: range.replace(/^[~^]/, ''),
        ...platformOf(name),
        ...(entry.dev && { dev: true }),
        optional: true,
      };
      added.push(name);
    }
  }
  return added;
}

/** Whether a package at `path` finds `name` in one of the node_modules folders above it. */
function resolves(packages, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    if (packages[`${folder}${folder && '/'}node_modules/${name}`]) return true;
    if (!folder.includes('node_modules/')) return packages[`node_modules/${name}`] !== undefined;
  }
}

/** What npm would know from the package itself, read from a name such as `@swc/core-linux-arm-gnueabihf`. */
function platformOf(name) {
  const words = name.split(/[-/]/).flatMap((word) => SPELLINGS[word] ?? word.replace(/^armv7$/, 'arm'));
  const system = words.find((word) => SYSTEMS.includes(word));
  const processor = words.find((word) => PROCESSORS.includes(word));
  return {
    ...(processor && { cpu: [processor] }),
    ...(words.includes('musl') && { libc: ['musl'] }),
    ...(system === 'linux' && words.includes('gnu') && { libc: ['glibc'] }),
    ...(system && { os: [system === 'windows' ? 'win32' : system] }),
  };
}
