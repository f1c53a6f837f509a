import { createHmac, randomBytes } from 'node:crypto';

/** Bytes of chance in a key; it is written in hex (G-4.12-2). */
const keyBytes = 16;

/** A new key: 32 hex characters. */
export const generateKey = (): string => randomBytes(keyBytes).toString('hex');

/** Digest under which a key is stored and compared. */
export type KeyDigest = (key: string) => Buffer;

/** HMAC-SHA-256 with a key that the database does not hold. */
export const keyDigest =
  (digestKey: Buffer): KeyDigest =>
  (key) =>
    createHmac('sha256', digestKey).update(key).digest();

/** Last characters of a key, by which people recognise it. */
export const hintOf = (key: string): string => key.slice(-4);
