const { writeFileSync } = require('node:fs');
const { relative } = require('node:path');

/** Prints a line per test file and writes the outcome to the file named by TEST_RESULT_FILE. */
module.exports = class ProgressReporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
    this.outcome = { passed: 0, failed: 0, skipped: [], failures: [] };
    this.done = 0;
    this.total = 0;
  }

  onRunStart({ numTotalTestSuites }) {
    this.total = numTotalTestSuites;
  }

  onTestResult(_test, { testFilePath, testResults, testExecError, failureMessage, perfStats, skipped }) {
    const file = relative(this.rootDir, testFilePath);
    const count = (...states) => testResults.filter(({ status }) => states.includes(status)).length;
    // A file that cannot be loaded is one failure, whatever it would have held.
    const broken = testExecError !== undefined && testExecError !== null && count('failed') === 0 ? 1 : 0;
    const passed = count('passed');
    const failed = count('failed') + broken;
    const left = testResults.filter(({ status }) => ['pending', 'todo', 'disabled', 'skipped'].includes(status));
    this.outcome.passed += passed;
    this.outcome.failed += failed;
    this.outcome.skipped.push(...left.map(({ fullName }) => `${file}: ${fullName}`));
    this.done++;
    const parts = [
      `${passed} passed`,
      failed && `${failed} failed`,
      (left.length > 0 || skipped) && `${left.length} skipped`,
    ];
    const seconds = ((perfStats.end - perfStats.start) / 1000).toFixed(1);
    const mark = failed > 0 ? '✗' : '✓';
    process.stdout.write(
      `  ${mark} [${this.done}/${this.total}] ${file}  ${parts.filter(Boolean).join(', ')}  ${seconds} s\n`,
    );
    if (!failureMessage) return;
    process.stdout.write(`${failureMessage}\n`);
    this.outcome.failures.push(`${file}\n${failureMessage}`);
  }

  onRunComplete(_contexts, { runExecError }) {
    if (runExecError) {
      this.outcome.failed++;
      this.outcome.failures.push(runExecError.stack ?? runExecError.message);
    }
    writeFileSync(process.env.TEST_RESULT_FILE, JSON.stringify(this.outcome));
  }
};
