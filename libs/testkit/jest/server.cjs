const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

/**
 * Starts a Node script that prints one line of JSON when it is ready and ends by itself when its standard input closes.
 * @param {string} script file name in libs/testkit
 * @param {string[]} [args]
 * @returns {Promise<{ answer: any, stop: () => Promise<void> }>}
 */
function startServer(script, args = []) {
  // Detached: Ctrl-C in the terminal goes to the run, whose end closes the pipe.
  const child = spawn(process.execPath, [join(__dirname, '..', script), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = new Promise((settle) => {
    child.once('exit', settle);
    child.once('error', settle);
  });
  const stop = async () => {
    child.stdin.end();
    await exited;
  };
  return new Promise((settle, fail) => {
    const lines = createInterface({ input: child.stdout });
    lines.once('line', (line) => {
      const answer = JSON.parse(line);
      if (answer.error) fail(new Error(answer.error));
      else settle({ answer, stop });
    });
    exited.then((code) => fail(new Error(`${script} ended with ${code} before it was ready`)));
  });
}

/** Whether a container engine answers; the `docker` binary alone proves nothing. */
async function containerEngine() {
  try {
    const { getContainerRuntimeClient } = require('testcontainers');
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

module.exports = { startServer, containerEngine };
