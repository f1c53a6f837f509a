import autocannon from 'autocannon';

/** Seconds for one answer, on a machine that others keep busy. */
const answerWithin = 120;

/** One run of autocannon; its own histogram counts whole milliseconds, so latencies are noted here. */
async function run({ url, headers, connections }, end) {
  const latencies = [];
  const running = autocannon({ url, headers, connections, timeout: answerWithin, ...end });
  running.on('response', (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds));
  const result = await running;
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} answers without success, ${result.errors} errors`);
  return { latencies, seconds: result.duration };
}

/**
 * Keeps `connections` busy with one GET for `seconds`, and for longer where none was answered in that time.
 *
 * @param {{ url: string, headers?: Record<string, string>, connections?: number, seconds: number }} options
 * @returns {Promise<{ requests: number, p50: number, p99: number, perSecond: number }>} latencies in milliseconds
 * @throws {Error} when any answer was not 200
 */
export async function load({ url, headers = {}, connections = 8, seconds }) {
  const subject = { url, headers, connections };
  const timed = await run(subject, { duration: seconds });
  // Requests under way at the end of the time are broken off and do not count.
  const { latencies, seconds: took } =
    timed.latencies.length > 0 ? timed : await run(subject, { amount: connections, duration: answerWithin });
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    p50: latencies[Math.floor(latencies.length * 0.5)],
    p99: latencies[Math.floor(latencies.length * 0.99)],
    perSecond: latencies.length / took,
  };
}
