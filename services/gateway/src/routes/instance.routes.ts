import { entity } from '@switchyard/rpc';
import { defineRoute } from '../http/route';

/** The version clients gate their features on (G-9-1). */
export const apiVersion = { version: '17.10.0-ee', revision: 'switchyard' };

export const instanceRoutes = [
  defineRoute({
    method: 'get',
    path: '/version',
    section: 'Instance',
    summary: 'Version of the instance',
    docs: { description: 'The version that clients compare features with.' },
    access: 'user',
    scopes: ['read_user'],
    returns: { 200: 'Version' },
    handle: async () => entity(apiVersion),
  }),
  defineRoute({
    method: 'get',
    path: '/metadata',
    section: 'Instance',
    summary: 'Metadata of the instance',
    docs: { description: 'The version, and what clients ask beside it.' },
    access: 'user',
    scopes: ['read_user'],
    returns: { 200: 'Metadata' },
    handle: async () =>
      entity({
        ...apiVersion,
        kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
        enterprise: true,
      }),
  }),
];
