import { createHmac, randomBytes } from 'node:crypto';
import { readKeyFile } from '@switchyard/secrets';

/** Random bytes of a key; it is written in hex (G-4.12-2). */
const keyBytes = 16;

/** A new key: 32 hex characters. */
export const generateKey = (): string => randomBytes(keyBytes).toString('hex');

/** Computes the digest that is stored and compared. */
export type KeyDigest = (key: string) => Buffer;

/**
 * HMAC-SHA-256 with a key that the database does not hold.
 * @throws Error with one line when the file holds no key
 */
export function integrationDigest(config: { readonly SWITCHYARD_ALERT_DIGEST_KEY_FILE: string }): KeyDigest {
  const digestKey = readKeyFile('SWITCHYARD_ALERT_DIGEST_KEY_FILE', config.SWITCHYARD_ALERT_DIGEST_KEY_FILE);
  return (key) => createHmac('sha256', digestKey).update(key).digest();
}

/** Last characters of a key, by which users recognise it. */
export const hintOf = (key: string): string => key.slice(-4);
