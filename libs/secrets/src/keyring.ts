import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts values, and decrypts those that any of its keys encrypted. */
export interface Keyring {
  /** Id of the key that encrypts: 4 bytes. */
  readonly keyId: Buffer;
  /**
   * Encrypts a text.
   * @param identity what names the row for good, such as its table and id
   */
  encrypt(identity: string, text: string): Buffer;
  /**
   * Decrypts what `encrypt` made for the same identity.
   * @throws Error that names the key when the ring lacks it; Error when the value was changed or belongs to another row
   */
  decrypt(identity: string, sealed: Buffer): string;
}

const keyBytes = 32;
const keyIdBytes = 4;
/** Nonce and tag of AES-GCM as NIST SP 800-38D recommends them. */
const nonceBytes = 12;
const tagBytes = 16;
/** The first byte of every value: the layout version | key id | nonce | tag | ciphertext. */
const layout = 1;
const headerBytes = 1 + keyIdBytes;
const textAt = headerBytes + nonceBytes + tagBytes;

const algorithm = 'aes-256-gcm';

/** A key from key material, by HKDF-SHA-256; keys of different labels have nothing to do with each other. */
export const deriveKey = (material: string, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', material, '', label, keyBytes));

/** Header and identity: a value that was moved to another row, or names another key, is not decrypted. */
const additionalData = (header: Buffer, identity: string): Buffer => Buffer.concat([header, Buffer.from(identity)]);

const headerOf = (key: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from([layout]),
    createHash('sha256').update('switchyard key id').update(key).digest().subarray(0, keyIdBytes),
  ]);

/**
 * A ring of keys of 32 bytes.
 * @param keys the first encrypts
 */
export function keyring(keys: readonly [Buffer, ...Buffer[]]): Keyring {
  const [current] = keys;
  const byHeader = new Map(keys.toReversed().map((key) => [headerOf(key).toString('hex'), key]));
  const currentHeader = headerOf(current);

  return {
    keyId: currentHeader.subarray(1),

    encrypt(identity, text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, current, nonce, { authTagLength: tagBytes });
      cipher.setAAD(additionalData(currentHeader, identity));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([currentHeader, nonce, cipher.getAuthTag(), sealed]);
    },

    decrypt(identity, sealed) {
      const header = sealed.subarray(0, headerBytes);
      const key = byHeader.get(header.toString('hex'));
      if (key === undefined) {
        const id = header.subarray(1).toString('hex');
        throw new Error(`${identity} is encrypted with key ${id}, which SWITCHYARD_ENCRYPTION_SECRETS does not have`);
      }
      const nonce = sealed.subarray(headerBytes, headerBytes + nonceBytes);
      try {
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes });
        decipher.setAAD(additionalData(header, identity));
        decipher.setAuthTag(sealed.subarray(headerBytes + nonceBytes, textAt));
        return Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]).toString('utf8');
      } catch {
        throw new Error(`${identity} cannot be decrypted: it was changed, or belongs to another row`);
      }
    },
  };
}
