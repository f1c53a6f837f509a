import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/** A balancer of connections in front of several processes. */
export interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Opens a port of 127.0.0.1; each connection goes to the next of `targets`, or to those after it where that refuses. */
export async function balancer(port: number, targets: () => readonly Target[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let turn = 0;

  function pass(inner: Socket, [target, ...others]: readonly Target[]): void {
    if (target === undefined) {
      inner.destroy();
      return;
    }
    let connected = false;
    const outer = dial({ ...target, noDelay: true, allowHalfOpen: true }, () => {
      connected = true;
      inner.pipe(outer);
      outer.pipe(inner);
    });
    outer.on('error', () => (connected ? inner.destroy() : pass(inner, others)));
    inner.once('close', () => outer.destroy());
  }

  const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, (inner) => {
    open.add(inner);
    inner.on('error', () => undefined).once('close', () => open.delete(inner));
    const all = targets();
    turn += 1;
    const first = turn % Math.max(all.length, 1);
    pass(inner, [...all.slice(first), ...all.slice(0, first)]);
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
