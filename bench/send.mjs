import http from 'node:http';

/**
 * Sends one request; resolves with its status, its body, whether it was refused early, and its milliseconds. Status 0:
 * no answer.
 */
export function send(agent, { method, url, token, body }) {
  return new Promise((resolve) => {
    const sentAt = performance.now();
    let text = '';
    const settle = (status, retryAfter) =>
      resolve({ status, text, refused: status === 503 && retryAfter !== undefined, ms: performance.now() - sentAt });
    const headers = { 'PRIVATE-TOKEN': token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
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
