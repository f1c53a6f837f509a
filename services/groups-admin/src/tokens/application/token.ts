import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefix of personal access tokens (G-5-8). */
export const tokenPrefix = 'glpat-';

/** Bytes of chance in a token: 24 url-safe characters. */
const randomLength = 18;
const bodyLength = 24;
const checksumLength = 7;
const ownForm = new RegExp(`^${tokenPrefix}[A-Za-z0-9_-]{${bodyLength}}[0-9a-z]{${checksumLength}}$`);

const checksum = (body: string): string => crc32(body).toString(36).padStart(checksumLength, '0');

/** A new token: prefix, 24 random characters, and their checksum. */
export function generateToken(): string {
  const body = randomBytes(randomLength).toString('base64url');
  return `${tokenPrefix}${body}${checksum(body)}`;
}

/** Longest token looked at, characters. */
const maxTokenLength = 255;

/**
 * False for what cannot be a token: of our form with a wrong checksum, or of a length no token has. Junk is refused
 * without the database; a token an operator has chosen is of any form and has no checksum.
 */
export function mayBeToken(token: string): boolean {
  if (token.length < 20 || token.length > maxTokenLength) return false;
  if (!ownForm.test(token)) return true;
  const body = token.slice(tokenPrefix.length, tokenPrefix.length + bodyLength);
  return token.endsWith(checksum(body));
}

/** Digest under which a token is stored and found. */
export type TokenDigest = (token: string) => Buffer;

/** HMAC-SHA-256 with a key derived from the instance's secret, which the database does not hold (D3). */
export function tokenDigest(secret: string): TokenDigest {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'switchyard personal access token', 32));
  return (token) => createHmac('sha256', key).update(token).digest();
}

/**
 * The digest of a presented token; undefined for junk (see `mayBeToken`).
 * @param rootToken the token an operator has chosen: it may look like one of ours without its checksum
 */
export const presentedDigest =
  (digest: TokenDigest, rootToken: string | undefined) =>
  (token: string): Buffer | undefined =>
    token === rootToken || mayBeToken(token) ? digest(token) : undefined;
