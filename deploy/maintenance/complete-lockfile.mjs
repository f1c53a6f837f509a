// Adds to package-lock.json the optional packages of other platforms that `npm install` left out because its registry
// does not carry them. Without them `npm ci` refuses the lockfile, on every platform. Run it after changing dependencies:
//   node deploy/maintenance/complete-lockfile.mjs [--check]
// With --check nothing is written, and what is missing is a failure.
import { readFileSync, writeFileSync } from 'node:fs';
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
const check = process.argv.includes('--check');
if (added.length > 0 && !check) {
  lockfile.packages = Object.fromEntries(
    Object.entries(lockfile.packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
  );
  writeFileSync(file, `${JSON.stringify(lockfile, undefined, 2)}\n`);
}
process.stdout.write(
  `${added.length} packages ${check ? 'missing' : 'added'}${check ? `: ${added.join(', ')}` : ''}\n`,
);
if (check && added.length > 0) process.exit(1);

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
