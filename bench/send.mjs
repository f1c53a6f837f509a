import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds for the answers that are still awaited when a time is over. */
const lastAnswersWithin = 90_000;

/**
 * Sends one request; resolves with its status, its body, whether it was refused early, and its milliseconds. Status 0:
 * no answer.
 */
export function send(agent, { method, url, token, body, authorization = { 'PRIVATE-TOKEN': token } }) {
  return new Promise((resolve) => {
    const sentAt = performance.now();
    let text = '';
    const settle = (status, retryAfter) =>
      resolve({ status, text, refused: status === 503 && retryAfter !== undefined, ms: performance.now() - sentAt });
    const headers = { ...authorization, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
    const request = http.request(url, { method, agent, headers }, (response) => {
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => settle(response.statusCode, response.headers['retry-after']));
      response.on('error', () => settle(0));
    });
    request.on('error', () => settle(0));
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/**
 * Offers `perSecond` requests, answered or not, as independent clients do.
 *
 * @param {{ agent: http.Agent, next: () => object, within: number }} subject its requests, and milliseconds in which an answer is of use
 * @param {number} perSecond
 * @param {number} seconds
 * @returns counts, `perSecond` of good answers, and their `latencies` in milliseconds, the least first
 */
export async function offer(subject, perSecond, seconds) {
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1_000;
  const count = { offered: 0, good: 0, refused: 0, late: 0, failed: 0 };
  const latencies = [];
  const note = ({ status, refused, ms }) => {
    const isGood = status >= 200 && status < 300;
    if (refused) count.refused += 1;
    else if (!isGood) count.failed += 1;
    else if (ms > subject.within) count.late += 1;
    else if (performance.now() <= endAt) {
      count.good += 1;
      latencies.push(ms);
    }
  };
  const awaited = new Set();
  for (let now = startedAt; now < endAt; now = performance.now()) {
    for (const due = ((now - startedAt) / 1_000) * perSecond; count.offered < due; count.offered += 1) {
      const one = send(subject.agent, subject.next()).then(note);
      awaited.add(one);
      one.finally(() => awaited.delete(one));
    }
    await sleep(5);
  }
  await Promise.race([Promise.all(awaited), sleep(lastAnswersWithin, undefined, { ref: false })]);
  count.failed += awaited.size;
  return { ...count, perSecond: count.good / seconds, latencies: latencies.sort((a, b) => a - b) };
}
