import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/** A balancer of connections in front of several processes. */
export interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

/** Opens a port of 127.0.0.1; each connection goes to the next of `targets`, or to the one after it where that refuses. */
export async function balancer(
  port: number,
  targets: () => readonly { host: string; port: number }[],
): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;

  function pass(inner: Socket, tries: number): void {
    const all = targets();
    turn += 1;
    const target = all[turn % all.length];
    if (target === undefined || tries === 0) {
      inner.destroy();
      return;
    }
    let connected = false;
    const outer = dial({ ...target, noDelay: true, allowHalfOpen: true }, () => {
      connected = true;
      inner.pipe(outer);
      outer.pipe(inner);
    });
    outer.on('error', () => (connected ? inner.destroy() : pass(inner, tries - 1)));
    inner.once('close', () => outer.destroy());
  }

  const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, (inner) => {
    open.add(inner);
    inner.on('error', () => undefined).once('close', () => open.delete(inner));
    pass(inner, targets().length);
  });
  await new Promise<void>((settle, fail) => server.once('error', fail).listen(port, '127.0.0.1', settle));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((settle) => {
        server.close(() => settle());
        for (const socket of open) socket.destroy();
      }),
  };
}
