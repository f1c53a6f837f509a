import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { namespaceHandler } from './transport/namespace.handler';

/** The list of namespaces; the areas of groups and users change them. */
export const composeNamespaces = ({ config, db }: Edges): Area => ({
  services: [namespaceHandler(db, { externalUrl: config.SWITCHYARD_EXTERNAL_URL, tier: config.SWITCHYARD_TIER })],
});
