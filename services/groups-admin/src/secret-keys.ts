import { deriveKey, type Keyring, openKeyring } from '@switchyard/secrets';
import type { Edges } from './edges';

const label = 'switchyard secrets of groups-admin';

/** The keys that encrypt what groups-admin stores (D7). */
export const ringOf = (config: Pick<Edges['config'], 'SWITCHYARD_SECRET' | 'SWITCHYARD_ENCRYPTION_SECRETS'>): Keyring =>
  openKeyring(config, label, deriveKey(config.SWITCHYARD_SECRET, label));
