const { dirname, relative } = require('node:path');

// Jest's own, as Jest finds it.
const jest = dirname(require.resolve('@jest/core/package.json', { paths: [require.resolve('jest')] }));
const { default: TestSequencer } = require(require.resolve('@jest/test-sequencer', { paths: [jest] }));

const seconds = require('./seconds.json');

/** A test on a whole system: seconds it takes to start one and to do something with it. */
const system = 15;
const bytesPerSecond = 5_000;

/**
 * Longest first, so that no worker idles at the end. What Jest remembers of earlier runs goes before the recorded times: a fresh clone
 * has nothing to remember, and Jest would go by the size of the files, which starts a run of 45 s in 17 lines last.
 */
module.exports = class LongestFirst extends TestSequencer {
  time(test) {
    const { rootDir } = test.context.config;
    const known = seconds[relative(rootDir, test.path)];
    const guess = test.path.endsWith('.e2e.test.ts')
      ? system
      : test.context.hasteFS.getSize(test.path) / bytesPerSecond;
    return super.time(test) ?? (known ?? guess) * 1_000;
  }
};
