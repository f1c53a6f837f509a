import { AppError } from '@switchyard/errors';
import type { Request } from 'express';

const range = /^\s*[^\s/;,]+\/[^\s/;,]+\s*(;|$)/;

/** Types that are JSON by their suffix, such as npm's and pip's. */
const suffixed = /^\s*[^\s/;,]+\/[^\s/;,]+\+json\s*(;|$)/i;

/**
 * Refuses with 406 a request whose `Accept` admits no JSON. A header that names no type at all says nothing (G-7).
 * @param ofManager package managers ask for types of their own, which are JSON by their suffix
 */
export function refuseOtherThanJson(request: Request, ofManager: boolean): void {
  const { accept } = request.headers;
  if (accept === undefined || !accept.split(',').some((one) => range.test(one))) return;
  if (ofManager && accept.split(',').some((one) => suffixed.test(one))) return;
  if (request.accepts('application/json') === false)
    throw new AppError('not_acceptable', { error: '406 Not Acceptable' });
}
