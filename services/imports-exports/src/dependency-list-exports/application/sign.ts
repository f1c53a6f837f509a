import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519';

/** Signs files. */
export interface FileSigner {
  /** The key by which signatures are verified. */
  readonly publicKey: KeyObject;
  /**
   * An Ed25519 signature (RFC 8032) over a content, of 64 bytes. It is read twice, and must be the same both times;
   * memory does not depend on its size.
   */
  sign(content: () => Promise<AsyncIterable<Uint8Array>>): Promise<Buffer>;
}

/**
 * A signer whose key may change between two signatures.
 * @param seeds private keys of 32 bytes, of which the first signs
 */
export function followingSigner(seeds: () => readonly [Uint8Array, ...Uint8Array[]]): FileSigner {
  let [seed] = seeds();
  let signer = fileSigner(seed);
  const current = (): FileSigner => {
    const [found] = seeds();
    if (found !== seed) [seed, signer] = [found, fileSigner(found)];
    return signer;
  };
  return {
    get publicKey() {
      return current().publicKey;
    },
    sign: (content) => current().sign(content),
  };
}

/** Number that bytes mean, the least significant first. */
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

const bytesOf = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();

/** What stands before the 32 bytes of a key in the form that OpenSSL reads (RFC 8410). */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * Opens a signer. Node signs what lies in memory as a whole, so the two hashes of RFC 8032, 5.1.6 are taken of a stream
 * here; the arithmetic of the curve is the library's.
 * @param seed the private key, 32 bytes
 */
export function fileSigner(seed: Uint8Array): FileSigner {
  const { prefix, scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(seed);
  const order = ed25519.Point.Fn.ORDER;

  async function hashed(before: readonly Uint8Array[], content: AsyncIterable<Uint8Array>): Promise<bigint> {
    const hash = createHash('sha512');
    for (const part of before) hash.update(part);
    for await (const chunk of content) hash.update(chunk);
    return numberOf(hash.digest()) % order;
  }

  return {
    publicKey: createPublicKey({ key: Buffer.concat([spkiPrefix, pointBytes]), format: 'der', type: 'spki' }),
    async sign(content) {
      const nonce = await hashed([prefix], await content());
      const commitment = ed25519.Point.BASE.multiply(nonce).toBytes();
      const challenge = await hashed([commitment, pointBytes], await content());
      return Buffer.concat([commitment, bytesOf((nonce + challenge * scalar) % order)]);
    },
  };
}
