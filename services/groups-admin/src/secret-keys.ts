import { readNamedFile } from '@switchyard/config';
import { deriveKey, following, type Keyring, type Keys, openKeyring } from '@switchyard/secrets';
import type { Edges } from './edges';

const minLength = 32;

type SecretConfig = Pick<Edges['config'], 'SWITCHYARD_SECRET' | 'SWITCHYARD_SECRET_FILE'>;

/**
 * Keys that are derived from the instance's secret. While it changes there are two, the newest first; in a file it may change
 * while the process runs.
 * @param label what the keys are for
 * @throws Error with one line that names the variable
 */
export function derivedKeys(config: SecretConfig, label: string): () => Keys {
  const keysOf = (variable: string, text: string): Keys => {
    const [first = '', ...others] = text.split('\n').flatMap((line) => line.trim() || []);
    if ([first, ...others].some((secret) => secret.length < minLength)) {
      throw new Error(`${variable}: must have at least ${minLength} characters`);
    }
    return [deriveKey(first, label), ...others.map((secret) => deriveKey(secret, label))];
  };
  const { SWITCHYARD_SECRET: given, SWITCHYARD_SECRET_FILE: file } = config;
  if (file !== undefined) {
    const variable = 'SWITCHYARD_SECRET_FILE';
    const inFile = readNamedFile(variable, file).split('\n');
    if (given !== undefined && !inFile.some((line) => line.trim() === given.trim()))
      throw new Error(`SWITCHYARD_SECRET: is not the secret in ${variable}, which goes before it: set one of them`);
    return following(file, () => keysOf(variable, readNamedFile(variable, file)));
  }
  const keys = keysOf('SWITCHYARD_SECRET', given ?? '');
  return () => keys;
}

const label = 'switchyard secrets of groups-admin';

/** The keys that encrypt what groups-admin stores (D7). */
export const ringOf = (config: SecretConfig & Pick<Edges['config'], 'SWITCHYARD_ENCRYPTION_SECRETS'>): Keyring =>
  openKeyring(config, label, derivedKeys(config, label));
