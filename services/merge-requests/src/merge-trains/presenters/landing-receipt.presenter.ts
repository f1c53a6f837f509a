import { userReference } from '@switchyard/directory';
import { dateTime, optionalDateTime } from '../../repositories';
import type { LandingReceiptView } from '../domain/landing-receipt';

/** The receipt of a landing: what was requested, what was tested, what landed, and whether git agrees (D8). */
export const presentLandingReceipt = (
  { receipt, mergeRequestId, addedBy, addedAt, verification }: LandingReceiptView,
  externalUrl: string,
) => ({
  merge_request: { id: mergeRequestId, iid: receipt.mergeRequestIid },
  target_branch: receipt.targetBranch,
  method: receipt.method,
  squash: receipt.squash,
  head_sha: receipt.headSha,
  base_sha: receipt.baseSha,
  tested:
    receipt.testedSha === undefined || receipt.testedTree === undefined
      ? null
      : { sha: receipt.testedSha, tree: receipt.testedTree },
  pipeline:
    receipt.pipelineId === undefined ? null : { id: receipt.pipelineId, status: receipt.pipelineStatus ?? null },
  statuses: receipt.statuses.map(({ id, name, status, allowFailure, finishedAt }) => ({
    id,
    name,
    status,
    allow_failure: allowFailure,
    finished_at: optionalDateTime(finishedAt),
  })),
  required_statuses: receipt.requiredStatuses,
  batch:
    receipt.batchIids.length === 0
      ? null
      : { merge_request_iids: receipt.batchIids, tested_sha: receipt.testedSha ?? null },
  reruns: receipt.reruns,
  landed: { sha: receipt.landedSha, tree: receipt.landedTree },
  merge_commit_sha: receipt.mergeCommitSha ?? null,
  squash_commit_sha: receipt.squashCommitSha ?? null,
  added_by: addedBy === undefined ? null : userReference(addedBy, externalUrl),
  boarded_at: dateTime(addedAt),
  built_at: optionalDateTime(receipt.builtAt),
  tested_at: optionalDateTime(receipt.testedAt),
  landed_at: dateTime(receipt.landedAt),
  imported: receipt.imported,
  verification:
    verification === undefined
      ? null
      : { verified_at: dateTime(verification.verifiedAt), differences: verification.differences },
});
