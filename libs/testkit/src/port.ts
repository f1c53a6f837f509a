import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below 32,768 the system gives no port to an outgoing connection, nor to those who listen on port 0. */
const [lowest, end] = [10_000, 32_768];

const isFree = (port: number): Promise<boolean> =>
  new Promise((settle, fail) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' || error.code === 'EACCES' ? settle(false) : fail(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => settle(true)));
  });

/** A TCP port of 127.0.0.1 that is free; a random one, so that processes which ask at the same time get different ones. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, end);
    if (await isFree(port)) return port;
  }
}
