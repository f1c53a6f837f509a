const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

/**
 * Starts a Node script of this lib that prints a line of JSON when it is ready, answers each line it is given with another, and ends
 * by itself when its standard input closes.
 * @param {string} script path in libs/testkit
 * @param {...string} args its arguments
 * @returns {Promise<{ answer: Record<string, string>, ask: (line: string) => Promise<Record<string, string>>, stop: () => Promise<void> }>}
 */
async function startServer(script, ...args) {
  // Detached: Ctrl-C in the terminal goes to the run, whose end closes the pipe.
  const child = spawn(process.execPath, [join(__dirname, '..', script), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = new Promise((settle) => {
    child.once('exit', settle);
    child.once('error', settle);
  });
  const lines = createInterface({ input: child.stdout });
  const nextAnswer = () =>
    new Promise((settle, fail) => {
      lines.once('line', (line) => {
        const answer = JSON.parse(line);
        if (answer.error) fail(new Error(answer.error));
        else settle(answer);
      });
      exited.then((code) => fail(new Error(`${script} ended with ${code}`)));
    });
  const answer = await nextAnswer();
  return {
    answer,
    ask(line) {
      const answered = nextAnswer();
      child.stdin.write(`${line}\n`);
      return answered;
    },
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}

module.exports = { startServer };
