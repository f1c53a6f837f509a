import { z } from '@switchyard/config';
import {
  type EncryptionConfig,
  encryptionVariables,
  followKeyFile,
  type Keyring,
  openKeyring,
  reportRotation,
} from '@switchyard/secrets';
import { command } from '@switchyard/service';
import { tokenSecrets, tokenTables } from './storage/token.store';

const keyVariable = 'SWITCHYARD_IMPORTS_EXPORTS_SECRETS_KEY_FILE';

/** What tokens of forges are encrypted with. */
export const tokenRing = (config: EncryptionConfig & { readonly [keyVariable]: string }): Keyring =>
  // With the label of `keys` in package.json.
  openKeyring(config, 'switchyard secrets of imports-exports', followKeyFile(keyVariable, config[keyVariable]));

/** The sub-command `rotate-secrets`: encrypts all tokens with the current key. */
export const rotateSecrets = command({
  variables: { ...encryptionVariables, [keyVariable]: z.string() },
  async run({ config, db, write }) {
    const ring = tokenRing(config);
    let code = 0;
    for (const table of tokenTables) code = Math.max(code, await reportRotation(tokenSecrets(db, table), ring, write));
    return code;
  },
});
