import { AppError } from '@switchyard/errors';
import type { Request, Response } from 'express';
import { renderError } from './render-error';
import { hasUnreadBody, sendContinue } from './unread-body';

/** Bytes that a body which streams on to a service has to bring in a window, and its length in milliseconds. */
export const streamRate = { windowMs: 60_000, leastBytes: 64 << 10 } as const;

/**
 * Lets the body of a request come that is streamed on; who forwards it reads it. A sender that brings less than
 * `leastBytes` in `windowMs` while the service takes what it sends gets 408, or is broken off where the reply has begun: a
 * push may last for hours, and must not stand still.
 * @param refusing what is done before it gets 408
 */
export function streamBody(
  request: Request,
  response: Response,
  { windowMs, leastBytes }: { windowMs: number; leastBytes: number } = streamRate,
  refusing: (error: AppError) => Promise<void> = async () => undefined,
): void {
  if (!hasUnreadBody(request)) return;
  sendContinue(request, response);
  const { socket } = request;
  let seen = socket.bytesRead;
  const timer = setInterval(() => {
    if (request.complete || request.destroyed) return stop();
    // What is here and not taken is the service's delay.
    if (request.readableLength === 0 && socket.bytesRead - seen < leastBytes) {
      stop();
      const error = new AppError('request_timeout');
      void refusing(error).finally(() => renderError(error, request, response, () => undefined));
      return;
    }
    seen = socket.bytesRead;
  }, windowMs);
  const stop = (): void => clearInterval(timer);
  request.once('end', stop);
  response.once('close', stop);
}
