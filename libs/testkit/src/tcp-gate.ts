import { createServer, connect as dial, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a server, to take that server away and bring it back without touching it. */
export interface TcpGate {
  port: number;
  /** Cuts every connection and refuses new ones. */
  shut(): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a gate to `host:port` on a free port of 127.0.0.1. */
export async function tcpGate({ host, port: target }: { host: string; port: number }): Promise<TcpGate> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;

  const keep = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    socket.on('error', () => other.destroy());
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  };

  const open = () =>
    new Promise<void>((settle, fail) => {
      server = createServer((inner) => {
        const outer = dial(target, host);
        keep(inner, outer);
        keep(outer, inner);
        inner.pipe(outer);
        outer.pipe(inner);
      });
      server.once('error', fail);
      server.listen(port, '127.0.0.1', () => {
        const address = server?.address();
        if (typeof address === 'object' && address !== null) port = address.port;
        settle();
      });
    });

  const shut = async () => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    const closed = new Promise<void>((settle) => closing.close(() => settle()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };

  await open();
  return { port, open, shut, close: shut };
}
