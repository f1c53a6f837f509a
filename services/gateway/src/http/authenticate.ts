import type { Request } from 'express';
import type { RawParameters } from './read-parameters';

const first = (value: unknown): string | undefined => {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === 'string' && one !== '' ? one : undefined;
};

const bearer = (header: string | undefined): string | undefined => /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1];

/** The token a request presents, in the ways of G-5-1 that this API serves. */
export const tokenOf = (request: Request, parameters: RawParameters): string | undefined =>
  first(request.headers['private-token']) ??
  bearer(request.headers.authorization) ??
  first(parameters.private_token) ??
  first(parameters.access_token);

/** The user an administrator acts for (G-5-7). */
export const sudoOf = (request: Request, parameters: RawParameters): string | undefined =>
  first(request.headers.sudo) ??
  (typeof parameters.sudo === 'number' ? String(parameters.sudo) : first(parameters.sudo));

/** The password of Basic credentials: how git presents a token. */
export function basicPassword(header: string | undefined): string | undefined {
  const encoded = /^Basic\s+([A-Za-z0-9+/=_-]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const credentials = Buffer.from(encoded, 'base64').toString('utf8');
  const at = credentials.indexOf(':');
  return at === -1 ? undefined : credentials.slice(at + 1);
}
