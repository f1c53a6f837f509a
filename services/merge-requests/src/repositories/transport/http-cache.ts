import { createHash } from 'node:crypto';
import type { ForwardedCall } from '@switchyard/rpc';

/** Weak ETag of what these headers describe: they carry the ids of blob and commits (G-1-9). */
export const cacheHeaders = (described: unknown): Record<'ETag' | 'Cache-Control', string> => ({
  ETag: `W/"${createHash('sha1').update(JSON.stringify(described)).digest('base64url')}"`,
  'Cache-Control': 'max-age=0, private, must-revalidate',
});

/** True when the client has it already, which is answered here: 304 without a body. */
export function answersUnchanged({ request, response }: ForwardedCall, cache: { ETag: string }): boolean {
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!known.includes('*') && !known.includes(cache.ETag.slice(2))) return false;
  response.writeHead(304, cache).end();
  return true;
}
