import { invalidParams } from '@switchyard/errors';
import type { Request } from 'express';
import { isScalar } from './params';
import type { RawParameters } from './read-parameters';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const first = (value: unknown): string | undefined => textOf(Array.isArray(value) ? value[0] : value);

const bearer = (header: string | undefined): string | undefined => /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1];

/** The token a request presents, in the ways of G-5-1 that this API serves. */
export const tokenOf = (request: Request, parameters: RawParameters): string | undefined =>
  first(request.headers['private-token']) ??
  bearer(request.headers.authorization) ??
  textOf(parameters.private_token) ??
  textOf(parameters.access_token);

/**
 * The user an administrator acts for (G-5-7). One that names no user in any form is refused: ignored, the request would
 * be done with the rights of the administrator.
 */
export function sudoOf(request: Request, parameters: RawParameters): string | undefined {
  const header = first(request.headers.sudo);
  if (header !== undefined) return header;
  const { sudo } = parameters;
  const named = Array.isArray(sudo) && sudo.length > 0 ? sudo[0] : sudo;
  if (named === undefined || named === null || named === '') return undefined;
  if (!isScalar(named)) throw invalidParams('sudo is invalid');
  return String(named);
}

/** Basic credentials: git presents a token as their password, with any username. */
export function basicCredentials(header: string | undefined): { username: string; password: string } | undefined {
  const encoded = /^Basic\s+([A-Za-z0-9+/=_-]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const credentials = Buffer.from(encoded, 'base64').toString('utf8');
  const at = credentials.indexOf(':');
  return at === -1 ? undefined : { username: credentials.slice(0, at), password: credentials.slice(at + 1) };
}
