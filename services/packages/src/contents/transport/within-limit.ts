import type { IncomingMessage } from 'node:http';
import { badRequest, isAppError } from '@switchyard/errors';

/**
 * Receives a file, in the words of GitLab where it is larger than `limit` bytes (G-4.17-10). One that says so itself is
 * refused before it is read.
 */
export async function withinLimit<T>(request: IncomingMessage, limit: number, receive: () => Promise<T>): Promise<T> {
  const tooLarge = () => badRequest('File is too large');
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
  return receive().catch((error) => {
    throw isAppError(error, 'too_large') ? tooLarge() : error;
  });
}
