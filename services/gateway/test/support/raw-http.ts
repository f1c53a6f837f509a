import { connect, type Socket } from 'node:net';
import { eventually } from '@switchyard/testkit';

/** A connection on which a test writes HTTP itself. */
export interface RawHttpClient {
  readonly socket: Socket;
  /** All that came back so far. */
  text(): string;
  /** True once the other side has closed it. */
  closed(): boolean;
  /** Waits for the next reply with a body of its announced length; interim replies stay in front of it. */
  reply(): Promise<{ status: number; head: string; body: string }>;
}

/** Opens a connection to a gateway. */
export function rawHttp(url: string): RawHttpClient {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  let text = '';
  let from = 0;
  let isClosed = false;
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('close', () => {
    isClosed = true;
  });
  return {
    socket,
    text: () => text,
    closed: () => isClosed,
    reply: () =>
      eventually(
        () => {
          let at = from;
          let end = text.indexOf('\r\n\r\n', at);
          for (; end !== -1 && text.startsWith('HTTP/1.1 1', at); end = text.indexOf('\r\n\r\n', at)) at = end + 4;
          if (end === -1) throw new Error(`no reply in ${JSON.stringify(text.slice(from))}`);
          const head = text.slice(at, end + 4);
          const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
          const body = text.slice(end + 4, end + 4 + length);
          if (body.length < length) throw new Error('the reply is not complete');
          from = end + 4 + length;
          return { status: Number(head.slice(9, 12)), head, body };
        },
        { within: 20_000 },
      ),
  };
}
