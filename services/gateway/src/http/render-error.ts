import { AppError, isAppError, unavailable, withErrorText } from '@switchyard/errors';
import { logger } from '@switchyard/telemetry';
import type { NextFunction, Request, Response } from 'express';
import { Throttled } from './rate-limits';

/** The one place where a failure becomes an HTTP reply: GitLab's body shapes, never a stack, a path or SQL (G-7). */
export function renderError(error: unknown, request: Request, response: Response, _next: NextFunction): void {
  if (error instanceof Throttled) {
    response.status(429).set('Retry-After', String(error.seconds)).type('text/plain').send('Retry later\n');
    return;
  }
  const known = asSeenBy(request, isAppError(error) ? error : ofHttpLibrary(error));
  response.locals.failure = error;
  if (response.headersSent) {
    logFailure(request, response, known.status);
    response.locals.brokenOff = true;
    response.destroy();
    return;
  }
  if (known.retryAfter !== undefined && !known.begun) response.setHeader('Retry-After', String(known.retryAfter));
  if (known.kind === 'invalid_token') {
    const { error: code, error_description: description } = known.body as Record<string, string>;
    response.setHeader(
      'WWW-Authenticate',
      `Bearer realm="Protected by OAuth 2.0", error="${code}", error_description="${description}"`,
    );
  }
  response.status(known.status).json(response.locals.errorText === true ? withErrorText(known.body) : known.body);
}

/**
 * The log line of a reply that the caller is not to blame for (500 and more): its request's id, path without query, and
 * the failure, where `response.locals.failure` holds it.
 */
export function logFailure(request: Request, response: Response, status: number): void {
  if (status < 500) return;
  const [path] = request.originalUrl.split('?');
  const request_id = response.getHeader('X-Request-Id');
  const line = { err: response.locals.failure, request_id, method: request.method, path, status };
  logger[status === 503 || status === 504 ? 'warn' : 'error'](line, 'request failed');
}

/** What was begun for a request that only reads does no harm: it may be sent again. */
const asSeenBy = ({ method }: Request, error: AppError): AppError =>
  error.begun && (method === 'GET' || method === 'HEAD') ? unavailable(error, error.retryAfter) : error;

/** express and its parsers throw errors that carry a status. */
function ofHttpLibrary(error: unknown): AppError {
  const status = (error as { status?: unknown } | undefined)?.status;
  if (status === 400) return new AppError('invalid_params', { error: 'the request is not valid' }, { cause: error });
  if (status === 413) return new AppError('too_large', undefined, { cause: error });
  return new AppError('internal', undefined, { cause: error });
}
