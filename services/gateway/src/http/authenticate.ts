import { invalidParams } from '@switchyard/errors';
import type { Request } from 'express';
import { isScalar } from './params';
import type { RawParameters } from './read-parameters';
import type { Route } from './route';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const first = (value: unknown): string | undefined => textOf(Array.isArray(value) ? value[0] : value);

const bearer = (header: string | undefined): string | undefined => /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1];

/** What a token is presented as. */
export type TokenKind = 'user' | 'job' | 'deploy';

/** A token as it is presented. */
export interface Credential {
  readonly token: string;
  readonly kind: TokenKind;
  /** Username of Basic credentials; that of a deploy token has to agree with it. */
  readonly username?: string;
}

/** Username that goes with a job token in Basic credentials. */
const jobUsername = 'gitlab-ci-token';
const deployPrefix = 'gldt-';
const jobPrefix = 'glcbt-';

/** What a token is that comes as a Bearer, by its prefix: npm has no other way to send that of a job or of a group. */
const kindOfBearer = (token: string): TokenKind =>
  token.startsWith(deployPrefix) ? 'deploy' : token.startsWith(jobPrefix) ? 'job' : 'user';

/** The token in Basic credentials: any username with that of a user, its own with a deploy token (G-4.17-12). */
export function basicToken(header: string | undefined): Credential | undefined {
  const basic = basicCredentials(header);
  if (basic === undefined) return undefined;
  const { username, password: token } = basic;
  if (username === jobUsername) return { token, kind: 'job', username };
  // A deploy token without its username is no credential: no username has a colon in it.
  return token.startsWith(deployPrefix)
    ? { token, kind: 'deploy', username: username || ':' }
    : { token, kind: 'user', username };
}

/** The account that failed logins are counted for; all jobs share one name, which is no account. */
export const accountOf = (credential: Credential | undefined): string | undefined =>
  credential?.kind === 'job' ? undefined : credential?.username;

/** The token of a user in a header of G-5-1. */
export const userTokenOf = (request: Request): string | undefined =>
  first(request.headers['private-token']) ?? bearer(request.headers.authorization);

/**
 * The token a request presents, in the ways of G-5-1. Those of machines are looked at everywhere, so that one is refused
 * where it is not taken; Basic credentials, and such tokens as a Bearer, only where a route takes them.
 */
export function credentialOf(
  request: Request,
  parameters: RawParameters,
  { tokens }: Pick<Route, 'tokens'>,
): Credential | undefined {
  const sent =
    first(request.headers['private-token']) === undefined ? bearer(request.headers.authorization) : undefined;
  if (sent !== undefined && tokens !== undefined) return { token: sent, kind: kindOfBearer(sent) };
  const user = userTokenOf(request) ?? textOf(parameters.private_token) ?? textOf(parameters.access_token);
  if (user !== undefined) return { token: user, kind: 'user' };
  const job = first(request.headers['job-token']) ?? textOf(parameters.job_token);
  if (job !== undefined) return { token: job, kind: 'job' };
  const deploy = first(request.headers['deploy-token']);
  if (deploy !== undefined) return { token: deploy, kind: 'deploy' };
  return tokens === undefined ? undefined : basicToken(request.headers.authorization);
}

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
