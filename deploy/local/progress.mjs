const HEARTBEAT_MS = 10_000;

/**
 * Progress on the screen: one line when a step begins, one with its duration when it ends.
 *
 * @param {{ write: (line: string) => void }} [options]
 * @returns {Progress}
 *
 * @typedef {object} Progress
 * @property {(line: string) => void} say prints one line
 * @property {<T>(title: string, work: (note: (text: string) => void) => Promise<T> | T) => Promise<T>} step runs `work`;
 *   its last `note` is shown beside the duration, and a step of more than 10 s says that it still runs
 */
export function createProgress({ write = writeLine } = {}) {
  return {
    say: write,
    async step(title, work) {
      const began = Date.now();
      let remark = '';
      const beat = setInterval(() => write(`    … ${title}: ${seconds(began)}`), HEARTBEAT_MS);
      try {
        const result = await work((text) => {
          remark = text;
        });
        write(`  ✓ ${title}${remark ? ` (${remark})` : ''}  ${seconds(began)}`);
        return result;
      } catch (error) {
        write(`  ✗ ${title}  ${seconds(began)}`);
        throw error;
      } finally {
        clearInterval(beat);
      }
    },
  };
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

function writeLine(line) {
  process.stdout.write(`${line}\n`);
}
