import type { Area } from '@switchyard/service';
import type { Given } from '../config';
import { namespaceHandler } from './transport/namespace.handler';

/** Namespaces as users look for them; groups and users own the changes. */
export const composeNamespaces = ({ config, db }: Given): Area => ({
  services: [namespaceHandler(db, { externalUrl: config.SWITCHYARD_EXTERNAL_URL, tier: config.SWITCHYARD_TIER })],
});
