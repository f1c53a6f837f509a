import autocannon from 'autocannon';

/**
 * Keeps `connections` busy with one GET for `seconds`.
 *
 * @param {{ url: string, headers?: Record<string, string>, connections?: number, seconds: number }} options
 * @returns {Promise<{ requests: number, p50: number, p99: number, perSecond: number }>} latencies in milliseconds
 * @throws {Error} when any answer was not 200
 */
export async function load({ url, headers = {}, connections = 8, seconds }) {
  const latencies = [];
  const run = autocannon({ url, headers, connections, duration: seconds });
  // autocannon's own histogram counts whole milliseconds.
  run.on('response', (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds));
  const result = await run;
  if (result.non2xx > 0 || result.errors > 0 || latencies.length === 0) {
    throw new Error(
      `${url}: ${result.non2xx} answers without success, ${result.errors} errors, ${latencies.length} answers`,
    );
  }
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    p50: latencies[Math.floor(latencies.length * 0.5)],
    p99: latencies[Math.floor(latencies.length * 0.99)],
    perSecond: latencies.length / result.duration,
  };
}
