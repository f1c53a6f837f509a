import type { PageRequest as ListRequest, SqlExecutor } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { MergeTrainServiceService } from '@switchyard/protos/merge_requests/v1/merge_train';
import type { PageRequest, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';
import { entity, fixedOrder, implement, nothing, page } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import { together } from '../../merge-requests';
import type { addToMergeTrain } from '../application/add-to-merge-train';
import type { MergeTrainFeed } from '../application/merge-train.feed';
import type { removeFromMergeTrain } from '../application/remove-from-merge-train';
import type { MergeTrainFilter, MergeTrainScope } from '../domain/merge-train-entry';
import { presentLandingReceipt } from '../presenters/landing-receipt.presenter';
import { presentMergeTrainEntry } from '../presenters/merge-train.presenter';
import { landingReceiptOf } from '../storage/landing-receipt.list';
import { listMergeTrainEntries, newestMergeTrainEntry } from '../storage/merge-train.list';
import { type TrainControlUseCases, trainControlRpcs } from './merge-train-control.handler';
import { type TrainForecastUseCases, trainForecastRpcs } from './merge-train-forecast.handler';
import { type TrainStatisticsUseCases, trainStatisticsRpcs } from './merge-train-statistics.handler';
import { watchMergeTrain } from './watch-merge-train.handler';

/** The use cases behind the RPCs. */
export interface MergeTrainUseCases extends TrainControlUseCases, TrainForecastUseCases, TrainStatisticsUseCases {
  readonly addToMergeTrain: ReturnType<typeof addToMergeTrain>;
  readonly removeFromMergeTrain: ReturnType<typeof removeFromMergeTrain>;
}

/** Who share a page at the most. */
const answeredAtOnce = 64;

const scopes: Readonly<Record<string, MergeTrainScope>> = { active: 'active', complete: 'complete' };

/** gRPC side of merge trains. */
export function mergeTrainHandler(
  useCases: MergeTrainUseCases,
  { db, externalUrl, feed }: { readonly db: SqlExecutor; readonly externalUrl: string; readonly feed: MergeTrainFeed },
) {
  async function list(
    projectId: number,
    filter: MergeTrainFilter,
    wanted: PageRequest | undefined,
    sort: ListRequest['sort'],
  ): Promise<RepresentationPage> {
    const request: ListRequest = fixedOrder(wanted, 'id', sort);
    const { rows, page: info } = await listMergeTrainEntries(db, projectId, filter, request);
    return page(
      rows.map((entry) => presentMergeTrainEntry(entry, externalUrl)),
      { ...info, keyset: wanted?.keyset ?? false },
    );
  }

  // Many may join a train at once, and all are shown the same page: those who wait for it share one that was read after
  // each of them had joined.
  const pageOf = together(
    answeredAtOnce,
    async (_key: string, asked: readonly (() => Promise<RepresentationPage>)[]) => {
      const shown = await asked[0]!();
      return asked.map(() => shown);
    },
  );

  return implement(MergeTrainServiceService, {
    ...trainControlRpcs(useCases, { db, externalUrl }),
    ...trainForecastRpcs(useCases),
    ...trainStatisticsRpcs(useCases),

    listMergeTrainEntries: ({ projectId, targetBranch, scope, page: wanted }) =>
      list(projectId, { targetBranch, scope: scopes[scope] }, wanted, (wanted?.descending ?? true) ? 'desc' : 'asc'),

    async getMergeTrainEntry({ projectId, mergeRequestIid }) {
      const entry = await newestMergeTrainEntry(db, { projectId, iid: mergeRequestIid });
      if (entry === undefined) throw notFound();
      if (entry === 'none') throw notFound('Merge Train Merge Request');
      return entity(presentMergeTrainEntry(entry, externalUrl));
    },

    async addToMergeTrain({ projectId, mergeRequestIid, sha, squash, autoMerge, first, page: wanted }, context) {
      const { outcome, targetBranch } = await useCases.addToMergeTrain(
        callerOf(context),
        { projectId, iid: mergeRequestIid },
        { sha: sha || undefined, squash, autoMerge, first },
      );
      const key = JSON.stringify([projectId, targetBranch, wanted]);
      const train = await pageOf(key, () => list(projectId, { targetBranch }, wanted, 'asc'));
      return { ...train, status: outcome === 'added' ? 201 : 202 };
    },

    async removeFromMergeTrain({ projectId, mergeRequestIid }, context) {
      await useCases.removeFromMergeTrain(callerOf(context), { projectId, iid: mergeRequestIid });
      return nothing();
    },

    async getLandingReceipt({ projectId, mergeRequestIid }) {
      const receipt = await landingReceiptOf(db, { projectId, iid: mergeRequestIid });
      if (receipt === undefined) throw notFound();
      if (receipt === 'none') throw notFound('Landing Receipt');
      return entity(presentLandingReceipt(receipt, externalUrl));
    },

    watchMergeTrain: watchMergeTrain(feed),
  });
}
