import { AppError } from '@switchyard/errors';

/**
 * The condition `If-Unmodified-Since` of a deletion. The header carries whole seconds, so fractions of `updatedAt` do
 * not count.
 * @param since undefined: no condition
 * @throws AppError precondition_failed when the row changed after `since`
 */
export function requireUnmodified({ updatedAt }: { readonly updatedAt: Date }, since: Date | undefined): void {
  if (since === undefined) return;
  const second = updatedAt.getTime() - updatedAt.getMilliseconds();
  if (second > since.getTime()) throw new AppError('precondition_failed');
}
