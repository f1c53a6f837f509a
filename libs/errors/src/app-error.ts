import { type ErrorKind, errorKinds } from './kinds';

/** A JSON value in an error body. */
export type ErrorBody = Record<string, unknown>;

/**
 * A failure that the caller may see: its kind, and the public body in GitLab's shape (G-7-1 … G-7-7).
 * Any other thrown error is a bug: it becomes `internal`, and its cause is logged and never shown.
 */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly body: ErrorBody;
  /** Seconds after which a retry makes sense; rendered as `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** Of `unavailable`: what was asked for may have been done all the same; only who looks knows. */
  readonly begun: boolean;

  constructor(
    kind: ErrorKind,
    body?: ErrorBody | string,
    options: { cause?: unknown; retryAfter?: number; begun?: boolean } = {},
  ) {
    const finished =
      body === undefined ? { message: errorKinds[kind].text } : typeof body === 'string' ? { message: body } : body;
    super(`${kind}: ${JSON.stringify(finished)}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.kind = kind;
    this.body = finished;
    this.retryAfter = options.retryAfter;
    this.begun = options.begun ?? false;
  }

  /** HTTP status of this failure. */
  get status(): number {
    return this.begun ? 504 : errorKinds[this.kind].http;
  }
}

/** A body with its `message`, where that is a text, as `error` too: npm shows nothing else of a reply. */
export const withErrorText = (body: ErrorBody): ErrorBody =>
  body.error !== undefined || typeof body.message !== 'string' ? body : { ...body, error: body.message };

const withReason = (kind: ErrorKind, reason?: string): AppError =>
  new AppError(kind, reason === undefined ? undefined : `${errorKinds[kind].text} - ${reason}`);

/**
 * 400 with key `error`: a parameter is missing, of a wrong type or not in its list of values; all problems joined
 * (G-7-1).
 */
export const invalidParams = (...problems: string[]): AppError =>
  new AppError('invalid_params', { error: problems.join(', ') });

/** 400 `400 Bad request - <reason>` (G-7-4). */
export const badRequest = (reason?: string): AppError => withReason('bad_request', reason);

/** 400 with `message` an object of field → texts (G-7-3), or a text of its own where the endpoint flattens it. */
export const invalid = (problems: Record<string, string[]> | string): AppError =>
  new AppError('invalid', { message: problems });

/** 401 `401 Unauthorized[ - reason]`. */
export const unauthorized = (reason?: string): AppError => withReason('unauthorized', reason);

/** 403 `403 Forbidden[ - reason]`. */
export const forbidden = (reason?: string): AppError => withReason('forbidden', reason);

/** 404 `404 <noun> Not Found`; without a noun, the row look-up's `404 Not found` (G-13-13). */
export const notFound = (noun?: string): AppError =>
  new AppError('not_found', noun === undefined ? '404 Not found' : `404 ${noun} Not Found`);

/** 405 `405 Method Not Allowed`, or a text of its own. */
export const notAllowed = (text?: string): AppError => new AppError('not_allowed', text);

/** 409 with a text or an array of texts. */
export const conflict = (text?: string | string[]): AppError =>
  new AppError('conflict', text === undefined ? undefined : { message: text });

/** 422 with a text or an array of texts. */
export const unprocessable = (text?: string | string[]): AppError =>
  new AppError('unprocessable', text === undefined ? undefined : { message: text });

const tooManyTimes = 'This endpoint has been requested too many times. Try again later.';

/**
 * 429 of an endpoint that has a limit of its own (G-4.6-10), with `Retry-After` seconds.
 * @param key that of the family of imports (G-4.19-7); `message` without it
 */
export const tooManyRequests = (retryAfter: number, key?: 'errors'): AppError =>
  new AppError('rate_limited', key === undefined ? { message: { error: tooManyTimes } } : { [key]: tooManyTimes }, {
    retryAfter,
  });

/** 503 with `Retry-After` seconds; the cause is logged, not shown. */
export const unavailable = (cause?: unknown, retryAfter = 1): AppError =>
  new AppError('unavailable', undefined, { cause, retryAfter });

/**
 * The same failure of a request that may have been carried out all the same: 504 without `Retry-After`, since 503
 * promises that nothing was begun (ADR 49). The pause of the cause is kept for a request that only reads.
 */
export const mayHaveBegun = (cause: unknown): AppError =>
  new AppError('unavailable', '504 Gateway Timeout - The request may have been carried out', {
    cause,
    begun: true,
    retryAfter: isAppError(cause) ? cause.retryAfter : undefined,
  });

/** True when `error` is an AppError of one of `kinds` (of any kind when none is given). */
export const isAppError = (error: unknown, ...kinds: ErrorKind[]): error is AppError =>
  error instanceof AppError && (kinds.length === 0 || kinds.includes(error.kind));
