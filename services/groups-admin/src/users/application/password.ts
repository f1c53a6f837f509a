import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { admissionQueue } from '@switchyard/rpc';

/** log2 of scrypt's N; with r = 8 one hash takes 16 MiB. */
const log2N = 14;
const r = 8;
const p = 5;
const keyLength = 32;

/**
 * A hash keeps a thread of libuv's pool busy for a quarter of a second. The pool has four, and files and the look-up of
 * names need it as well, so one is always left, and on a larger machine a processor too. A request waits for less time
 * than this, and its end ends the wait.
 */
const hashing = admissionQueue({
  slots: Math.min(3, Math.max(2, availableParallelism() - 1)),
  maxWaiting: 1_000,
  timeoutMs: 30_000,
  overloadTimeoutMs: 30_000,
});

const derive = (password: string, salt: Buffer, N: number, blockSize: number, parallel: number): Promise<Buffer> =>
  hashing.run(
    () =>
      new Promise((resolve, reject) =>
        scrypt(
          password.normalize('NFKC'),
          salt,
          keyLength,
          { N, r: blockSize, p: parallel, maxmem: 64 << 20 },
          (error, key) => (error ? reject(error) : resolve(key)),
        ),
      ),
  );

/** Digest of a password with a salt of its own, `scrypt$<log2 N>$<r>$<p>$<salt>$<key>`. Hashes wait for each other. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, 2 ** log2N, r, p);
  return ['scrypt', log2N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether a password is the one a digest was made of. */
export async function isPassword(password: string, digest: string): Promise<boolean> {
  const [scheme, cost, blockSize, parallel, salt, key] = digest.split('$');
  if (scheme !== 'scrypt' || salt === undefined || key === undefined) return false;
  const expected = Buffer.from(key, 'base64url');
  const found = await derive(
    password,
    Buffer.from(salt, 'base64url'),
    2 ** Number(cost),
    Number(blockSize),
    Number(parallel),
  );
  return found.length === expected.length && timingSafeEqual(found, expected);
}
