import { AppError, type ErrorKind, isAppError, withErrorText } from '@switchyard/errors';

/** A failure in the form that npm prints (`error`), with GitLab's `message` beside it. */
export const npmError = (kind: ErrorKind, text: string): AppError => new AppError(kind, { message: text, error: text });

/** A failure of what all formats share in the same form. Any other error is as it was. */
export function asNpmError(error: unknown): unknown {
  if (!isAppError(error)) return error;
  const { kind, body, retryAfter, begun } = error;
  const more = { cause: error, begun, ...(retryAfter === undefined ? {} : { retryAfter }) };
  return new AppError(kind, withErrorText(body), more);
}
