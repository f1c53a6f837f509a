import { execFileSync, spawn } from 'node:child_process';
import { temporaryFolder } from './installation.mjs';

/** Environment of git that reads no configuration of this machine. */
export const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
};

/** A commit for `git fast-import`: `contents` by path, on the branch's present tip or on `from`. */
export function commit(branch, message, contents, from) {
  const who = 'Dana Developer <dana@example.com> 1700000000 +0000';
  const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  return [
    `commit refs/heads/${branch}\ncommitter ${who}\n${data(message)}`,
    from === undefined ? '' : `from ${from}\n`,
    ...Object.entries(contents).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`),
  ].join('');
}

/** A bare repository of a developer, and where it pushes to. */
export function openRepository(installation, { token, path }) {
  const folder = temporaryFolder('repository');
  const remote = `${installation.url.replace('://', `://bench:${token}@`)}/${path}.git`;
  const git = (args, input) =>
    execFileSync('git', ['-C', folder.path, ...args], { input, env: environment, stdio: 'pipe', maxBuffer: 1 << 28 })
      .toString()
      .trim();
  git(['init', '--quiet', '--bare']);
  return {
    git,
    import: (commits) => git(['fast-import', '--quiet'], commits.join('')),
    /** Pushes these refspecs; resolves to the time at which the client ended. */
    push: (...refspecs) =>
      new Promise((settle, reject) => {
        const child = spawn('git', ['-C', folder.path, 'push', '--quiet', remote, ...refspecs], { env: environment });
        let printed = '';
        child.stderr.on('data', (chunk) => {
          printed += chunk;
        });
        child.once('exit', (code) => (code === 0 ? settle(performance.now()) : reject(new Error(printed))));
      }),
    remove: folder.remove,
  };
}
