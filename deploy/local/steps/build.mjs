import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailure, run } from '../commands.mjs';
import { LaunchFailure } from '../failure.mjs';
import { plainEnvironment } from './install.mjs';

const ROOT_FILES = ['package-lock.json', 'tsconfig.base.json', 'turbo.json'];
const SKIPPED = new Set(['node_modules', 'dist', 'gen', 'generated', 'test', '.turbo', 'coverage']);
const SHOWN_LINES = 30;

/** The workspace whose output is generated from the others' and needs no build. */
const GENERATED = join('deploy', 'openapi');

/** The workspaces that have sources: `protos`, `libs/*`, `services/*`. */
export function workspaces(root) {
  const under = (folder) =>
    existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => join(folder, name)) : [];
  return ['protos', ...under('libs'), ...under('services')].filter((path) =>
    existsSync(join(root, path, 'package.json')),
  );
}

/**
 * Whether the output of the last build still belongs to the sources: compared by name, size and modification time,
 * which takes milliseconds where asking Turborepo takes a second.
 */
export function built(root) {
  const stamp = stampFile(root);
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint(root)) return false;
  const isBuilt = (path) =>
    existsSync(join(root, path, 'dist')) ||
    JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')).scripts?.build === undefined;
  return existsSync(join(root, GENERATED, 'gen')) && workspaces(root).every(isBuilt);
}

/**
 * Generates and builds every workspace, or some with what they need.
 *
 * @param {string} root
 * @param {AbortSignal} signal
 * @param {readonly string[]} [only] folders of workspaces
 * @throws {LaunchFailure} with the compiler's output
 */
export async function build(root, signal, only = []) {
  mkdirSync(cacheFolder(root), { recursive: true });
  try {
    const before = fingerprint(root);
    const turbo = join(root, 'node_modules', 'turbo', 'bin', 'turbo');
    const env = {
      ...plainEnvironment(),
      PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
      TURBO_TELEMETRY_DISABLED: '1',
      DO_NOT_TRACK: '1',
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    };
    const args = [
      turbo,
      'run',
      'generate',
      'build',
      ...only.map((folder) => `--filter=./${folder}`),
      '--env-mode=loose',
      '--output-logs=errors-only',
      '--no-color',
      '--no-update-notifier',
    ];
    await run(process.execPath, args, { cwd: root, env, signal });
    if (only.length === 0) writeFileSync(stampFile(root), before);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    throw new LaunchFailure(`the build failed\n${error.output.trim().split('\n').slice(-SHOWN_LINES).join('\n')}`);
  }
}

function cacheFolder(root) {
  return join(root, 'node_modules', '.cache', 'switchyard');
}

function stampFile(root) {
  return join(cacheFolder(root), 'build-stamp');
}

function fingerprint(root) {
  const hash = createHash('sha256').update(process.version);
  const add = (path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path}\0${size}\0${mtimeMs}\n`);
  };
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!SKIPPED.has(entry.name)) walk(path);
      } else if (!entry.name.endsWith('.tsbuildinfo')) {
        add(path);
      }
    }
  };
  for (const file of ROOT_FILES) add(file);
  for (const workspace of [...workspaces(root), GENERATED]) walk(workspace);
  return hash.digest('hex');
}
