import { invalid } from '@switchyard/errors';
import { ApprovalServiceService } from '@switchyard/protos/merge_requests/v1/approval';
import { type CallContext, entity, implement, nothing } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import type {
  approveMergeRequest,
  readApprovals,
  resetApprovals,
  submitReview,
  unapproveMergeRequest,
} from '../application/approve-merge-request';
import type { MergeRequestEdges } from '../application/merge-request.edges';
import { presentApprovals } from '../presenters/approvals.presenter';

/** The use cases behind the RPCs. */
export interface ApprovalUseCases {
  readonly readApprovals: ReturnType<typeof readApprovals>;
  readonly approveMergeRequest: ReturnType<typeof approveMergeRequest>;
  readonly unapproveMergeRequest: ReturnType<typeof unapproveMergeRequest>;
  readonly submitReview: ReturnType<typeof submitReview>;
  readonly resetApprovals: ReturnType<typeof resetApprovals>;
}

/** Quick actions of notes review in the name of the author of the note. */
const command = { callers: ['gateway', 'collaboration'], onBehalfOf: true };

/** gRPC side of approvals. */
export function approvalHandler(useCases: ApprovalUseCases, { mergeRequests, externalUrl }: MergeRequestEdges) {
  async function shown(context: CallContext, key: { projectId: number; iid: number }) {
    const { view, mayApprove, suggestedIds } = await useCases.readApprovals(callerOf(context), key);
    const people = await mergeRequests.usersByIds([
      ...view.approval.approvals.map(({ userId }) => userId),
      ...suggestedIds,
    ]);
    const suggested = suggestedIds.flatMap((id) => people.get(id) ?? []);
    const viewerId = context.actor.userId;
    return entity(
      presentApprovals(
        { view, viewerId, mayApprove, suggested, people },
        { externalUrl, tier: context.access?.tier ?? '' },
      ),
    );
  }

  const service = implement(ApprovalServiceService, {
    getApprovals: (key, context) => shown(context, key),

    async approve({ sha, ...key }, context) {
      await useCases.approveMergeRequest(callerOf(context), key, sha || undefined);
      return shown(context, key);
    },

    async unapprove(key, context) {
      await useCases.unapproveMergeRequest(callerOf(context), key);
      return shown(context, key);
    },

    async submitReview({ state, ...key }, context) {
      if (state !== 'reviewed' && state !== 'requested_changes') throw invalid({ state: ['is invalid'] });
      await useCases.submitReview(callerOf(context), key, state);
      return nothing(201);
    },

    async resetApprovals(key, context) {
      await useCases.resetApprovals(callerOf(context), key);
      return nothing(202);
    },
  });
  return { ...service, rules: { approve: command, unapprove: command, submitReview: command } };
}
