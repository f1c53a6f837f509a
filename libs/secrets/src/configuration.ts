import { z } from '@switchyard/config';
import { deriveKey, type Keyring, keyring } from './keyring';
import type { Keys } from './read-key-file';

const minLength = 32;

/** In the list, the place of the key of `SWITCHYARD_SECRET`; without it that key is the last. */
const baseWord = 'secret';

/** Variables of a service that stores secrets; see docs/operations.md. */
export const encryptionVariables = {
  /**
   * Key material, separated by commas: the first encrypts, all decrypt, and so does the key of `SWITCHYARD_SECRET`, whose
   * place is the word `secret`, else the last.
   */
  SWITCHYARD_ENCRYPTION_SECRETS: z
    .string()
    .default('')
    .transform((list) => list.split(',').flatMap((one) => one.trim() || []))
    .refine(
      (list) => list.every((one) => one === baseWord || one.length >= minLength),
      `must be a list of texts with at least ${minLength} characters each, separated by commas`,
    ),
} as const;

/** What `encryptionVariables` give. */
export type EncryptionConfig = z.infer<z.ZodObject<typeof encryptionVariables>>;

/**
 * The keys of a service. Those of `base` may change while the ring is used.
 * @param label what the service derives its keys with, such as `switchyard secrets of groups-admin`
 * @param base the keys that are derived from `SWITCHYARD_SECRET` with the same label; the same object until they change
 */
export function openKeyring(config: EncryptionConfig, label: string, base: () => Keys): Keyring {
  const secrets = config.SWITCHYARD_ENCRYPTION_SECRETS;
  const places = (secrets.includes(baseWord) ? secrets : [...secrets, baseWord]).map((secret) =>
    secret === baseWord ? undefined : deriveKey(secret, label),
  );
  const ringOf = (own: Keys): Keyring => {
    const [first = own[0], ...others] = places.flatMap((key) => key ?? own);
    return keyring([first, ...others]);
  };
  let own = base();
  let ring = ringOf(own);
  const current = (): Keyring => {
    const found = base();
    if (found !== own) [own, ring] = [found, ringOf(found)];
    return ring;
  };
  return {
    get keyId() {
      return current().keyId;
    },
    encrypt: (identity, text) => current().encrypt(identity, text),
    decrypt: (identity, sealed) => current().decrypt(identity, sealed),
  };
}
