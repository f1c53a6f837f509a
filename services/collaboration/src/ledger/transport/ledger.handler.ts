import type { Database } from '@switchyard/database';
import { usersByIds } from '@switchyard/directory';
import { LedgerServiceService } from '@switchyard/protos/collaboration/v1/ledger';
import { entity, fixedOrder, implement, page, type ServiceImplementation, signedIn, viewerOf } from '@switchyard/rpc';
import type { Explanation, LedgerUseCases, ProjectEntry } from '../application/read-ledger';
import { presentEntry, presentOwnDelivery, presentSentDelivery } from '../presenters/ledger.presenter';

const explanationOf = ({ target, userId, entries, summary }: Explanation) => ({
  target,
  user_id: userId,
  summary,
  explanations: entries.map(({ row, text }) => ({ ...presentEntry(row), text })),
});

/** Serves `LedgerService`. */
export function ledgerHandler(ledger: LedgerUseCases, db: Database, externalUrl: string): ServiceImplementation {
  const shown = async (rows: readonly ProjectEntry[], projectId: number) => {
    const users = await usersByIds(db, new Set(rows.flatMap((entry) => ('own' in entry ? [entry.own.userId] : []))));
    return rows.map((entry) =>
      'own' in entry
        ? presentOwnDelivery(entry.own, users.get(entry.own.userId), externalUrl)
        : presentSentDelivery(entry.sentOut, projectId),
    );
  };
  return implement(LedgerServiceService, {
    listOwnEntries: async ({ target, createdAfter, createdBefore, ...request }, context) => {
      const wanted = fixedOrder(request.page, 'id', 'desc');
      const filter = { target, after: createdAfter, before: createdBefore };
      const found = await ledger.own(viewerOf(signedIn(context)), filter, wanted);
      return page(found.rows.map(presentEntry), { ...found.page, keyset: wanted.mode === 'keyset' });
    },
    listProjectEntries: async ({ projectId, target, ...request }) => {
      const wanted = fixedOrder(request.page, 'created_at', 'desc');
      const found = await ledger.ofProject(projectId, target, wanted);
      return page(await shown(found.rows, projectId), { ...found.page, keyset: wanted.mode === 'keyset' });
    },
    explainOwn: async ({ target }, context) =>
      entity(explanationOf(await ledger.explainOwn(viewerOf(signedIn(context)), target))),
    explainForUser: async ({ projectId, target, user }) =>
      entity(explanationOf(await ledger.explainForUser(projectId, target, user))),
  });
}
