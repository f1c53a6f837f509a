// The launcher on a folder of stand-ins: everything but installation and build.
import { LaunchFailure } from '../../local/failure.mjs';
import { launch } from '../../local/launch.mjs';
import { createProgress } from '../../local/progress.mjs';

const root = process.argv[2];
const ending = new AbortController();
process.on('SIGTERM', () => ending.abort());
try {
  await launch({ root, cwd: root, env: process.env, progress: createProgress(), ending, prepare: async () => {} });
} catch (error) {
  process.stderr.write(`${error instanceof LaunchFailure ? error.message : error.stack}\n`);
  process.exitCode = 1;
}
process.exit();
