import { isAppError } from '@switchyard/errors';

/** What a process says of the error that ends it, in one line. */
export function failureLine(error: unknown): string {
  const cause = isAppError(error) && error.cause instanceof Error ? error.cause : error;
  const message = cause instanceof Error ? cause.message || String(cause) : String(cause);
  return message.replaceAll('\n', ' ');
}
