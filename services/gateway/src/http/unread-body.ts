import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';

/** Requests with `Expect: 100-continue` to which 100 Continue was sent. */
const continued = new WeakSet<IncomingMessage>();

/**
 * How long what is still under way is thrown away once the answer is out: without a byte, in all, milliseconds; and
 * bytes.
 */
const lingering = { idleMs: 500, mostMs: 5_000, mostBytes: 64 << 20 } as const;

/** True while a body is still to come. */
export const hasUnreadBody = (request: IncomingMessage): boolean =>
  !request.complete &&
  !request.destroyed &&
  (request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0);

/** Sends 100 Continue to a client that waits for it. Only the reader of the body calls this. */
export function sendContinue(request: Request, response: Response): void {
  if (!/^100-continue$/i.test(request.headers.expect ?? '') || continued.has(request)) return;
  continued.add(request);
  if (!response.headersSent) response.writeContinue();
}

/**
 * A reply before the whole body has come has `Connection: close`, and the connection is closed: a sender that holds
 * the rest back could keep it for good, and after a missing 100 Continue it is open whether what comes next is the
 * body. What is under way is thrown away for a while first. Closed at once, the sender would see a reset in place
 * of the answer.
 */
export function settleUnreadBodies(request: Request, response: Response, next: NextFunction): void {
  const { writeHead, end } = response;
  response.writeHead = function (this: Response, ...given: Parameters<typeof writeHead>) {
    if (hasUnreadBody(request)) this.setHeader('Connection', 'close');
    return writeHead.apply(this, given);
  } as typeof writeHead;
  response.end = function (this: Response, ...given: Parameters<typeof end>) {
    response.end = end;
    if (!hasUnreadBody(request)) return end.apply(this, given);
    const [chunk, encoding] = given as unknown[];
    const isBody = typeof chunk === 'string' || chunk instanceof Uint8Array;
    if (!this.headersSent && !this.hasHeader('Content-Length') && this.statusCode !== 204 && this.statusCode !== 304)
      this.setHeader('Content-Length', String(isBody ? Buffer.byteLength(chunk as string) : 0));
    this.flushHeaders();
    if (isBody) this.write(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
    throwAway(request, () => {
      end.call(this, undefined, 'utf8');
      // A reply that had begun before has no `Connection: close`.
      if (!request.complete) request.socket.destroySoon();
    });
    return this;
  } as typeof end;
  next();
}

/** Reads and drops what comes, until the body ends or it has been enough. */
function throwAway(request: Request, then: () => void): void {
  const { socket } = request;
  let size = 0;
  const idle = setTimeout(stop, lingering.idleMs);
  const most = setTimeout(stop, lingering.mostMs);
  function stop(): void {
    clearTimeout(idle);
    clearTimeout(most);
    request.off('data', count).off('end', stop).off('close', stop);
    // A request that has been answered emits no event when its connection closes.
    socket.off('close', stop);
    then();
  }
  function count(chunk: Buffer): void {
    size += chunk.length;
    idle.refresh();
    if (size > lingering.mostBytes) stop();
  }
  request.unpipe();
  request.on('data', count).once('end', stop).once('close', stop);
  socket.once('close', stop);
  request.resume();
}
