import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from './installation.mjs';

const mebibytes = 1_024;
const perCommit = 128;
const rounds = 5;
const targetMs = 2_000;
const targetMebibytes = 10;
const pollMs = 10;
const timeoutMs = 120_000;

/** A repository of 1 GiB of random bytes: until a fork of it can be read, and what it takes on disk. */
export async function fork(installation, report) {
  const { api, url, rootToken } = installation;
  const folder = temporaryFolder('fork');
  const git = (...args) => execFileSync('git', args, { cwd: folder.path, stdio: ['ignore', 'pipe', 'inherit'] });
  /** MiB on disk; files with two names count once. */
  const onDisk = () =>
    Number(execFileSync('du', ['-sk', join(installation.data, 'repositories')], { encoding: 'utf8' }).split('\t')[0]) /
    1_024;
  try {
    const { body: project } = await api('POST', '/projects', { name: 'Large', path: 'large' });
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'core.compression', '0');
    git('config', 'user.name', 'Bench');
    git('config', 'user.email', 'bench@example.com');
    const remote = `${url.replace('//', `//bench:${rootToken}@`)}/${project.path_with_namespace}.git`;
    for (let at = 0; at < mebibytes; at += perCommit) {
      const part = join(folder.path, `part-${at}`);
      mkdirSync(part);
      for (let file = 0; file < perCommit; file += 1) writeFileSync(join(part, `${file}.bin`), randomBytes(1 << 20));
      git('add', '-A');
      git('commit', '--quiet', '-m', `Part ${at}`);
      git('push', '--quiet', remote, 'main');
    }
    const head = git('rev-parse', 'main').toString().trim();
    const before = onDisk();
    const replied = [];
    const readable = [];
    const finished = [];
    const grown = [];
    for (let round = 1; round <= rounds; round += 1) {
      const name = `large-${round}`;
      const sizeBefore = onDisk();
      const since = performance.now();
      const { body: made } = await api('POST', `/projects/${project.id}/fork`, { name, path: name });
      replied.push(performance.now() - since);
      const { body: branch } = await api('GET', `/projects/${made.id}/repository/branches/main`);
      readable.push(performance.now() - since);
      if (branch.commit.id !== head) throw new Error(`the fork is at ${branch.commit.id}`);
      for (;;) {
        const { body } = await api('GET', `/projects/${made.id}`);
        if (body.import_status === 'finished') break;
        if (body.import_status === 'failed' || performance.now() - since > timeoutMs)
          throw new Error(`import_status ${body.import_status}`);
        await sleep(pollMs);
      }
      finished.push(performance.now() - since);
      grown.push(onDisk() - sizeBefore);
    }
    report.note(`fork: the repository takes ${Math.round(before)} MiB`);
    report.figure('fork: of 1 GiB, until the reply', replied, { unit: 'ms', digits: 0 });
    report.figure('fork: until its branch is read', readable, { unit: 'ms', digits: 0, target: targetMs });
    report.figure('fork: until import_status is finished', finished, { unit: 'ms', digits: 0 });
    report.figure('fork: more on disk', grown, { unit: 'MiB', digits: 1, target: targetMebibytes });
  } finally {
    folder.remove();
  }
}
