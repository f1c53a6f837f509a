import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { namespaceHandler } from './transport/namespace.handler';

/** Namespaces as users look for them; groups and users own the changes. */
export const composeNamespaces = ({ config, db }: Edges): Area => ({
  services: [namespaceHandler(db, { externalUrl: config.SWITCHYARD_EXTERNAL_URL, tier: config.SWITCHYARD_TIER })],
});
