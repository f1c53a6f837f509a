import { z } from '@switchyard/config';
import { deriveKey, type Keyring, keyring } from './keyring';

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
 * The keys of a service.
 * @param label what the service derives its keys with, such as `switchyard secrets of groups-admin`
 * @param base the key that is derived from `SWITCHYARD_SECRET` with the same label
 */
export function openKeyring(config: EncryptionConfig, label: string, base: Buffer): Keyring {
  const secrets = config.SWITCHYARD_ENCRYPTION_SECRETS;
  const keys = secrets.map((secret) => (secret === baseWord ? base : deriveKey(secret, label)));
  const [first = base, ...others] = secrets.includes(baseWord) ? keys : [...keys, base];
  return keyring([first, ...others]);
}
