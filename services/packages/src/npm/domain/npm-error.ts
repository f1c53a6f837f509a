import { AppError, type ErrorKind } from '@switchyard/errors';

/** A failure in the form that npm prints (`error`), with GitLab's `message` beside it. */
export const npmError = (kind: ErrorKind, text: string): AppError => new AppError(kind, { message: text, error: text });
