import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LaunchFailure } from './failure.mjs';
import { launch } from './launch.mjs';
import { onParentDeath } from './parent.mjs';
import { createProgress } from './progress.mjs';

// npm passes Ctrl-C on although the terminal has sent it already: only a later signal is a second one.
const SECOND_SIGNAL_MS = 1_000;

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const progress = createProgress();
const ending = new AbortController();
let stoppingSince;

function stop(why) {
  if (stoppingSince !== undefined && Date.now() - stoppingSince < SECOND_SIGNAL_MS) return;
  if (stoppingSince !== undefined) process.exit(1);
  stoppingSince = Date.now();
  progress.say(`\nstopping (${why})`);
  ending.abort();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
onParentDeath(() => stop('npm is gone'));
// A closed terminal must not end the launcher before it has stopped its children.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

try {
  await launch({ root, cwd: process.cwd(), env: process.env, progress, ending });
} catch (error) {
  if (stoppingSince === undefined) {
    process.stderr.write(`\n${error instanceof LaunchFailure ? `npm start: ${error.message}` : error.stack}\n`);
    process.exitCode = 1;
  }
}
if (stoppingSince !== undefined) progress.say(`stopped in ${((Date.now() - stoppingSince) / 1000).toFixed(1)} s`);
process.exit();
