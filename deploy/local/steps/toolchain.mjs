import { execFileSync } from 'node:child_process';
import { LaunchFailure } from '../failure.mjs';

const NODE_MINIMUM = [20, 19];
const GIT_MINIMUM = [2, 38];

/**
 * Checks Node (20.19) and git (2.38, the first with `merge-tree --write-tree`).
 *
 * @param {{ node?: string, git?: () => string }} [found]
 * @returns {string} the versions, for the screen
 * @throws {LaunchFailure}
 */
export function checkToolchain({ node = process.versions.node, git = gitVersion } = {}) {
  if (!atLeast(node, NODE_MINIMUM))
    throw new LaunchFailure(`Node.js ${NODE_MINIMUM.join('.')} or newer is needed, this is ${node}`);
  let printed;
  try {
    printed = git();
  } catch {
    throw new LaunchFailure(`git ${GIT_MINIMUM.join('.')} or newer is needed, and there is no \`git\` on the PATH`);
  }
  const version = /\d+(?:\.\d+)+/.exec(printed)?.[0] ?? '';
  if (!atLeast(version, GIT_MINIMUM)) {
    throw new LaunchFailure(`git ${GIT_MINIMUM.join('.')} or newer is needed, this is ${version || printed.trim()}`);
  }
  return `Node.js ${node}, git ${version}`;
}

function gitVersion() {
  return execFileSync('git', ['--version'], { encoding: 'utf8', stdio: 'pipe' });
}

function atLeast(version, minimum) {
  const parts = version.split('.').map(Number);
  for (const [index, wanted] of minimum.entries()) {
    if (parts[index] !== wanted) return parts[index] > wanted;
  }
  return true;
}
