import { type Keyring, openKeyring, readKeyFile } from '@switchyard/secrets';
import type { Edges } from '../edges';

const keyVariable = 'SWITCHYARD_IMPORTS_EXPORTS_SECRETS_KEY_FILE';

/** What tokens of forges are encrypted with. */
export const tokenRing = (config: Edges['config']): Keyring =>
  // With the label of `keys` in package.json.
  openKeyring(config, 'switchyard secrets of imports-exports', readKeyFile(keyVariable, config[keyVariable]));
