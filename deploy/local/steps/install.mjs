import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandFailure, run } from '../commands.mjs';
import { LaunchFailure } from '../failure.mjs';

/**
 * Whether `node_modules` holds what the lockfile asks for. npm writes its own record of what it installed as the last
 * thing it does, so an interrupted installation has none.
 *
 * @param {string} root
 */
export function installed(root) {
  const wanted = packagesIn(join(root, 'package-lock.json'));
  const found = packagesIn(join(root, 'node_modules', '.package-lock.json'));
  if (wanted === undefined || found === undefined) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true;
    if (entry.link) return existsSync(join(root, path, 'package.json'));
    const there = found[path];
    if (there === undefined) return entry.optional === true || entry.devOptional === true || entry.peer === true;
    return there.version === entry.version && (there.integrity ?? '') === (entry.integrity ?? '');
  });
}

/**
 * Installs the packages of the lockfile.
 *
 * @param {string} root
 * @param {AbortSignal} signal
 */
export async function install(root, signal) {
  // The npm that runs this script, where there is one: its version fits the Node in use.
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [file, ...args] = [...npm, 'ci', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  try {
    await run(file, args, { cwd: root, env: plainEnvironment(), signal });
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    throw new LaunchFailure(`npm ci failed: ${lastErrorLine(error.output) || error.message}`);
  }
}

/** The environment without what `npm run` adds, so that an inner npm reads its own configuration. */
export function plainEnvironment(env = process.env) {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^npm_(?!config_)/i.test(name) && name !== 'INIT_CWD'),
  );
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function lastErrorLine(output) {
  const lines = output
    .split('\n')
    .filter((line) => /^npm (?:error|ERR!)/.test(line) && !/A complete log|code /.test(line));
  return lines[0]?.replace(/^npm (?:error|ERR!)\s*/, '');
}
