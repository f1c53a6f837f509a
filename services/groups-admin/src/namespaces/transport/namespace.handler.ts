import type { Database } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { NamespaceServiceService } from '@switchyard/protos/groups_admin/v1/namespace';
import { entity, implement, page, pageRequest, type ServiceImplementation } from '@switchyard/rpc';
import { presentNamespace } from '../presenters/namespace.presenter';
import { findNamespace, listNamespaces, pathTaken } from '../storage/namespace.list';

const nameOf = (value: string): { id: number } | { path: string } =>
  /^\d{1,15}$/.test(value) ? { id: Number(value) } : { path: value };

/** NamespaceService. */
export const namespaceHandler = (db: Database, options: { externalUrl: string; tier: string }): ServiceImplementation =>
  implement(NamespaceServiceService, {
    listNamespaces: async (request, { actor }) => {
      const asked = pageRequest(request.page, { orderBy: 'id' });
      const { rows, page: info } = await listNamespaces(db, request, actor, asked);
      return page(
        rows.map((row) => presentNamespace(row, options)),
        { ...info, keyset: asked.mode === 'keyset' },
      );
    },

    getNamespace: async ({ namespace }, { actor }) => {
      const found = await findNamespace(db, nameOf(namespace), actor);
      if (found === undefined) throw notFound('Namespace');
      return entity(presentNamespace(found, options));
    },

    checkNamespaceExists: async ({ path, parentId }, { actor }) => {
      const { exists, suggestion } = await pathTaken(db, path, parentId, actor);
      return entity({ exists, suggests: exists && suggestion !== undefined ? [suggestion] : [] });
    },
  });
