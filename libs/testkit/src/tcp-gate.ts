import { createServer, connect as dial, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a server, to take that server away and bring it back without touching it. */
export interface TcpGate {
  port: number;
  /** Cuts every connection and refuses new ones. */
  shut(): Promise<void>;
  open(): Promise<void>;
  /** Keeps connections and takes new ones, but lets nothing pass, as a server that hangs or a network that is parted. */
  freeze(): void;
  /** Lets pass what waited, and what comes. */
  thaw(): void;
  close(): Promise<void>;
}

/** Opens a gate to `host:port` on a free port of 127.0.0.1. */
export async function tcpGate({ host, port: target }: { host: string; port: number }): Promise<TcpGate> {
  /** The ends of the connections, each with the one that it passes bytes to. */
  const sockets = new Map<Socket, Socket>();
  let server: Server | undefined;
  let port = 0;
  let isFrozen = false;

  const keep = (socket: Socket, other: Socket) => {
    sockets.set(socket, other);
    if (!isFrozen) socket.pipe(other);
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
    for (const socket of sockets.keys()) socket.destroy();
    await closed;
  };

  await open();
  return {
    port,
    open,
    shut,
    freeze() {
      isFrozen = true;
      for (const [socket, other] of sockets) socket.unpipe(other).pause();
    },
    thaw() {
      isFrozen = false;
      for (const [socket, other] of sockets) socket.pipe(other);
    },
    close: shut,
  };
}
