import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefixes of tokens by what they are presented as (G-5-8). */
export const tokenPrefixes = { user: 'glpat-', deploy: 'gldt-', job: 'glcbt-' } as const;

/** What a token is presented as. */
export type PresentedAs = keyof typeof tokenPrefixes;

/** Bytes of chance in a token: 24 url-safe characters. */
const randomLength = 18;
const bodyLength = 24;
const checksumLength = 7;
const formOf = (prefix: string): RegExp =>
  new RegExp(`^${prefix}[A-Za-z0-9_-]{${bodyLength}}[0-9a-z]{${checksumLength}}$`);
const ownForms = {
  user: formOf(tokenPrefixes.user),
  deploy: formOf(tokenPrefixes.deploy),
  job: formOf(tokenPrefixes.job),
} as const satisfies Record<PresentedAs, RegExp>;

const checksum = (body: string): string => crc32(body).toString(36).padStart(checksumLength, '0');

/** A new token: prefix, 24 random characters, and their checksum. */
export function generateToken(kind: PresentedAs = 'user'): string {
  const body = randomBytes(randomLength).toString('base64url');
  return `${tokenPrefixes[kind]}${body}${checksum(body)}`;
}

/** Longest token looked at, characters. */
const maxTokenLength = 255;

/** Whether a token of our form has the checksum of its characters. */
function hasChecksum(token: string, kind: PresentedAs): boolean {
  const start = tokenPrefixes[kind].length;
  return token.endsWith(checksum(token.slice(start, start + bodyLength)));
}

/**
 * False for what cannot be a token of a user: of our form with a wrong checksum, or of a length no token has. Junk is
 * refused without the database; a token an operator has chosen is of any form and has no checksum.
 */
export function mayBeToken(token: string): boolean {
  if (token.length < 20 || token.length > maxTokenLength) return false;
  return !ownForms.user.test(token) || hasChecksum(token, 'user');
}

/** Digest under which a token is stored and found. */
export type TokenDigest = (token: string) => Buffer;

/** HMAC-SHA-256 with a key that the database does not hold (D3). */
export const tokenDigest =
  (key: Buffer): TokenDigest =>
  (token) =>
    createHmac('sha256', key).update(token).digest();

/**
 * The digest of a presented token; undefined for junk: deploy and job tokens are ours alone, for those of users see
 * `mayBeToken`.
 * @param rootToken the token an operator has chosen: it may look like one of ours without its checksum
 */
export const presentedDigest =
  (digest: TokenDigest, rootToken: string | undefined) =>
  (token: string, kind: PresentedAs): Buffer | undefined => {
    const isPossible =
      kind === 'user'
        ? token === rootToken || mayBeToken(token)
        : ownForms[kind].test(token) && hasChecksum(token, kind);
    return isPossible ? digest(token) : undefined;
  };
