import { Agent, request as send } from 'node:http';

/** A request as it goes over the wire: neither path nor body is tidied up on the way. */
export interface RawRequest {
  readonly method: string;
  /** Path and query as sent, below the origin. */
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** What came back, and how long it took. */
export interface RawReply {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** From the first byte sent to the last received, milliseconds. */
  readonly took: number;
}

/** Sends requests unchanged: `fetch` resolves `%2e%2e` and refuses much of what a hostile client may send. */
export function rawClient(origin: string): { send(request: RawRequest): Promise<RawReply>; close(): void } {
  const { hostname, port } = new URL(origin);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    send: ({ method, path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const startedAt = performance.now();
        const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
        const request = send(
          { hostname, port, method, path, agent, headers: { ...length, ...headers } },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('error', reject);
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                text: Buffer.concat(chunks).toString('utf8'),
                took: performance.now() - startedAt,
              }),
            );
          },
        );
        request.on('error', reject);
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}
