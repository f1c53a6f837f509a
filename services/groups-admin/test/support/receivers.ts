import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a receiver got it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly at: number;
}

/** A receiver of hooks on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Answers of the next requests, by default 200; `never` leaves a request without one, a redirect is a 307. */
  answer: (request: Received) => number | 'never' | { readonly redirect: string };
  close(): Promise<void>;
}

/** Starts a receiver. */
export async function receiver(): Promise<Receiver> {
  const server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const got = { path: request.url ?? '', headers: request.headers, body, at: performance.now() };
      self.received.push(got);
      const answer = self.answer(got);
      if (answer === 'never') return;
      const [status, headers] = typeof answer === 'number' ? [answer, {}] : [307, { Location: answer.redirect }];
      response.writeHead(status, { 'X-Receiver': 'test', ...headers });
      response.end(`answered ${status}`);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const self: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: () => 200,
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(() => closed()));
    },
  };
  return self;
}
