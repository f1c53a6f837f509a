import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { freePort } from '../libs/machine/src/ports.mjs';
import { startInstallation, temporaryFolder } from './installation.mjs';
import { seedPeople, seedProject } from './seed.mjs';

const tar = createRequire(new URL('../services/packages/package.json', import.meta.url))('tar-stream');
const run = promisify(execFile);

const packageCount = 200;
const filesOfPackage = 12;
const fileBytes = 4_000;
/** Of private packages fewer: Verdaccio hashes the password of an account for each request. */
const rounds = { open: 5, private: 2 };
const upLimitMs = 60_000;
// Later ones want Node 22.
const verdaccio = '6.8.0';

/** A version of a package with its tarball: files that compress as source code does. `kind` begins its name. */
async function packageOf(kind, at) {
  const name = `${kind}-${at}`;
  const version = '1.0.0';
  // Each rests on two that come later, as a tree of dependencies does.
  const later = [2 * at + 1, 2 * at + 2].filter((other) => other < packageCount);
  const dependencies = Object.fromEntries(later.map((other) => [`${kind}-${other}`, '^1.0.0']));
  const manifest = { name, version, main: 'file-0.js', dependencies };
  const archive = tar.pack();
  archive.entry({ name: 'package/package.json' }, JSON.stringify(manifest));
  for (let file = 0; file < filesOfPackage; file += 1) {
    const line = `exports.value${at}of${file} = '${createHash('sha256').update(`${at} ${file}`).digest('hex')}';\n`;
    archive.entry({ name: `package/file-${file}.js` }, line.repeat(Math.ceil(fileBytes / line.length)));
  }
  archive.finalize();
  const chunks = [];
  for await (const chunk of archive) chunks.push(chunk);
  const tarball = gzipSync(Buffer.concat(chunks));
  const digest = (algorithm, encoding) => createHash(algorithm).update(tarball).digest(encoding);
  const dist = { shasum: digest('sha1', 'hex'), integrity: `sha512-${digest('sha512', 'base64')}` };
  return {
    name,
    document(registry) {
      const fileName = `${name}-${version}.tgz`;
      const one = {
        ...manifest,
        _id: `${name}@${version}`,
        dist: { ...dist, tarball: `${registry}${name}/-/${fileName}` },
      };
      const data = {
        content_type: 'application/octet-stream',
        data: tarball.toString('base64'),
        length: tarball.length,
      };
      return {
        _id: name,
        name,
        'dist-tags': { latest: version },
        versions: { [version]: one },
        _attachments: { [fileName]: data },
      };
    },
  };
}

/** Verdaccio in a folder of its own; undefined, and a note that says why, where it cannot be installed. */
async function startVerdaccio(folder, report) {
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      private: true,
      dependencies: { verdaccio },
      // One release for all that ask for one: not every mirror has the others.
      overrides: { 'node-fetch': '2.7.0', 'node-fetch-cjs': 'npm:node-fetch@2.7.0' },
    }),
  );
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: folder, maxBuffer: 1 << 26 });
  } catch (error) {
    report.note(`npm-install: skipped, Verdaccio could not be installed: ${String(error.stderr ?? error).slice(-300)}`);
    return undefined;
  }
  const port = await freePort(new Set());
  const rights = (who) => ['access', 'publish', 'unpublish'].map((right) => `    ${right}: ${who}`).join('\n');
  writeFileSync(
    join(folder, 'config.yaml'),
    `storage: ./storage\nauth:\n  htpasswd:\n    file: ./htpasswd\npackages:\n  'private-*':\n${rights('$authenticated')}\n  '**':\n${rights('$all')}\nmax_body_size: 100mb\nlog: { type: stdout, level: error }\n`,
  );
  const child = spawn(
    process.execPath,
    [join(folder, 'node_modules/verdaccio/bin/verdaccio'), '--config', 'config.yaml', '--listen', `127.0.0.1:${port}`],
    { cwd: folder, env: { ...process.env, NODE_ENV: 'production' }, stdio: 'ignore' },
  );
  const registry = `http://127.0.0.1:${port}/`;
  for (const end = performance.now() + upLimitMs; performance.now() < end; await sleep(100)) {
    const up = await fetch(`${registry}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (up) return { registry, token: await signUp(registry), stop: () => child.kill() };
  }
  child.kill();
  throw new Error('Verdaccio did not answer');
}

/** The token of a new account, as `npm adduser` asks for it. */
async function signUp(registry) {
  const response = await fetch(`${registry}-/user/org.couchdb.user:reader`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'reader', password: 'reads-what-is-private', type: 'user' }),
  });
  if (!response.ok) throw new Error(`Verdaccio refused an account: ${response.status} ${await response.text()}`);
  return (await response.json()).token;
}

async function publish({ name: registryName, registry, token }, packages) {
  for (const one of packages) {
    const response = await fetch(`${registry}${one.name}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(one.document(registry)),
    });
    if (!response.ok)
      throw new Error(`${registryName} refused ${one.name}: ${response.status} ${await response.text()}`);
  }
}

/** Milliseconds of an `npm install` of all packages by a machine that has none of them, with a token where one is given. */
async function install(folder, { registry }, token, packages) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(packages.map(({ name }) => [name, '1.0.0']));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const address = registry.replace(/^http:/, '');
  const credential = token === undefined ? '' : `${address}:_authToken=${token}\n`;
  writeFileSync(join(folder, '.npmrc'), `registry=${registry}\n${credential}`);
  const since = performance.now();
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--no-update-notifier', '--cache', './cache'];
  await run('npm', args, { cwd: folder, maxBuffer: 1 << 26 });
  const ms = performance.now() - since;
  const { stdout } = await run('npm', ['ls', '--all', '--parseable'], { cwd: folder, maxBuffer: 1 << 26 });
  const found = stdout.trim().split('\n').length - 1;
  if (found !== packages.length) throw new Error(`${found} of ${packages.length} packages were installed`);
  return ms;
}

/**
 * `npm install` of 200 packages, against Verdaccio on the same machine: of packages that everyone may read, by a client
 * without a token, and of those that a token is needed for.
 */
export async function npmInstall(report) {
  const folder = temporaryFolder('npm-install');
  let installation;
  let other;
  try {
    const verdaccioFolder = join(folder.path, 'verdaccio');
    mkdirSync(verdaccioFolder);
    other = await startVerdaccio(verdaccioFolder, report);
    if (other === undefined) return;
    installation = await startInstallation({ data: join(folder.path, 'data') });
    const people = await seedPeople(installation, 'npm-install');
    const work = join(folder.path, 'work');
    const comparisons = [];
    for (const [kind, visibility] of [
      ['open', 'public'],
      ['private', 'private'],
    ]) {
      const project = await seedProject(installation, { path: kind, people });
      if (kind === 'open') {
        await installation.api('PUT', `/groups/${project.groupId}`, { visibility });
        await installation.api('PUT', `/projects/${project.id}`, { visibility });
      }
      const registry = `${installation.url}/api/v4/projects/${project.id}/packages/npm/`;
      const ours = { name: 'Switchyard', registry, token: people.token };
      const theirs = { name: 'Verdaccio', registry: other.registry, token: other.token };
      const packages = await Promise.all(Array.from({ length: packageCount }, (_, at) => packageOf(kind, at)));
      for (const one of [ours, theirs]) await publish(one, packages);
      comparisons.push({ kind, packages, ours, theirs, taken: new Map([ours, theirs].map((one) => [one, []])) });
    }
    // The first round compiles what both registries do.
    for (const { kind, packages, taken } of comparisons) {
      for (let round = 0; round <= rounds[kind]; round += 1) {
        for (const [one, times] of taken) {
          const ms = await install(work, one, kind === 'open' ? undefined : one.token, packages);
          if (round > 0) times.push(ms);
        }
      }
    }
    for (const { kind, ours, theirs, taken } of comparisons) {
      for (const one of [ours, theirs])
        report.figure(`npm install of ${packageCount} ${kind} packages: ${one.name}`, taken.get(one), {
          unit: 'ms',
          digits: 0,
        });
      report.figure(
        '    against Verdaccio',
        taken.get(ours).map((ms, round) => ms / taken.get(theirs)[round]),
        { unit: 'times', target: 1 },
      );
    }
  } finally {
    other?.stop();
    await installation?.stop();
    folder.remove();
  }
}
