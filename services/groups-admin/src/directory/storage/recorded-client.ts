import type { Prisma } from '../../generated/prisma/client';
import type { DirectoryKind } from './directory-tables';
import type { DirectoryTx } from './recorded';

/** Models of tables of the directory. */
const kinds: Readonly<Record<string, DirectoryKind>> = {
  instance: 'instance',
  user: 'user',
  userTombstone: 'tombstone',
  namespace: 'namespace',
  project: 'project',
  membership: 'membership',
  groupShare: 'share',
  label: 'label',
  milestone: 'milestone',
};

const writesOne = new Set(['create', 'update', 'upsert', 'delete']);
const writesMany = /Many/;

type Call = (...args: unknown[]) => Promise<{ id: bigint }>;

/**
 * The client of a Prisma transaction whose writes of one row are recorded by the id they return. Writes of many rows
 * return no ids and are refused: `DirectoryTx.write` and `erase` are for them.
 */
export function recordedClient(client: Prisma.TransactionClient, tx: DirectoryTx): Prisma.TransactionClient {
  const recordedModel = (model: object, kind: DirectoryKind): object =>
    new Proxy(model, {
      get(target, method: string) {
        const call = Reflect.get(target, method) as Call;
        if (writesOne.has(method)) {
          return async (...args: unknown[]) => {
            const row = await call.apply(target, args);
            tx.changed(kind, [Number(row.id)]);
            return row;
          };
        }
        if (writesMany.test(method) && method !== 'findMany') {
          return () => Promise.reject(new Error(`${method} of ${kind} rows is not recorded in the directory`));
        }
        return call;
      },
    });
  return new Proxy(client, {
    get(target, name: string) {
      const found = Reflect.get(target, name) as unknown;
      const kind = kinds[name];
      return kind === undefined ? found : recordedModel(found as object, kind);
    },
  });
}
