import { createServer } from 'node:net';

/** A TCP port of 127.0.0.1 that was free just now. */
export function freePort(): Promise<number> {
  return new Promise((settle, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => settle(port));
    });
  });
}
