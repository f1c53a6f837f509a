import { logger } from '@switchyard/telemetry';
import { GitCommandError, isAncestor, type Repository, repositoryExists, type Sha, shaOf, zeroSha } from '../../git';
import type { BatchMember, KeptPipeline, LandingReceipt } from '../domain/landing-receipt';
import type { LandingReceipts } from './landing-receipts';
import { isInBranch, recomputeLanding } from './recompute-landing';
import { batchDifferences, chainDifferences, commitsOf, moveDifferences } from './verify-batch';

/** What the verifier needs. */
export interface VerifierEdges {
  readonly receipts: LandingReceipts;
  readonly repositoryOf: (projectId: number) => Promise<Repository>;
  readonly clock: () => Date;
}

/** What was found out about one landing. */
export interface LandingVerdict {
  readonly receipt: LandingReceipt;
  /** Each way in which git and the receipt differ, in words; empty when they agree. */
  readonly differences: readonly string[];
  /** Reported, but no difference. */
  readonly findings: readonly string[];
}

/** Which landings are verified: those never verified, those that differed, or every one. */
export type ReceiptCheck = 'unverified' | 'differing' | 'all';

/**
 * Verifies landings by git and their receipts (D8). It shares only the git layer with the code that builds and lands
 * merges.
 */
export interface LandingVerifier {
  /** Verifies receipts by id, at most `limit` of them, and records each verdict before it is handed out. */
  verify(check: ReceiptCheck, limit?: number): AsyncGenerator<LandingVerdict>;
}

/** Receipts read at once. */
const batch = 100;
/** Days for which moves of branches are remembered; see storage/ref-change.store.ts. */
const remembered = 7 * 86_400_000;

/** A skipped name counts: whether the project took it for one that succeeded is not in the receipt. */
const passes = ({ status, allowFailure }: { status: string; allowFailure: boolean }): boolean =>
  status === 'success' || status === 'skipped' || (status === 'failed' && allowFailure);

/**
 * What contradicts itself in a receipt: what was tested is what landed, or the last of those that landed with it, and it
 * was green.
 */
function recordDifferences(receipt: LandingReceipt, members: readonly BatchMember[]): string[] {
  const differences: string[] = [];
  if (receipt.testedSha === undefined) {
    if (receipt.testedTree !== undefined) differences.push('a tested tree is recorded without a tested commit');
    if (receipt.batchIids.length > 0) differences.push('a batch is recorded without a tested commit');
    return differences;
  }
  if (receipt.batchIids.length > 0) differences.push(...batchDifferences(receipt, members));
  else {
    if (receipt.testedSha !== receipt.landedSha) differences.push('another commit was tested than landed');
    if (receipt.testedTree !== receipt.landedTree) differences.push('another tree was tested than landed');
  }
  if (receipt.pipelineId === undefined) differences.push('no pipeline is recorded');
  const newest = new Map(receipt.statuses.map((status) => [status.name, status]));
  const decisive = receipt.requiredStatuses.length > 0 ? receipt.requiredStatuses : [...newest.keys()];
  for (const name of decisive) {
    const status = newest.get(name);
    if (status === undefined) differences.push(`status ${name} is required, and missing`);
    else if (!passes(status)) differences.push(`status ${name} is ${status.status}`);
  }
  if (decisive.length === 0) differences.push('no status was reported');
  if (receipt.requiredStatuses.length === 0 && !passes({ status: receipt.pipelineStatus ?? '', allowFailure: false })) {
    differences.push(`the pipeline is ${receipt.pipelineStatus ?? 'without a status'}`);
  }
  return differences;
}

/**
 * What the pipeline itself contradicts of a receipt, where it is still stored. A final report never changes: a later one
 * is
 * another row.
 */
function pipelineDifferences(receipt: LandingReceipt, witness: KeptPipeline | undefined): string[] {
  if (witness === undefined || receipt.testedSha === undefined) return [];
  const differences: string[] = [];
  if (witness.projectId !== receipt.projectId) differences.push('the pipeline belongs to another project');
  if (witness.sha !== receipt.testedSha) differences.push(`the pipeline ran on ${witness.sha.slice(0, 12)}`);
  const reports = new Map(witness.statuses.map((report) => [report.id, report]));
  for (const { id, name, status } of receipt.statuses) {
    const report = reports.get(id);
    if (report === undefined) differences.push(`the pipeline has no report ${id} of ${name}`);
    else if (report.name !== name || (status === 'success' && report.status !== status))
      differences.push(`status ${name} is recorded as ${status}, and was reported as ${report.name} ${report.status}`);
  }
  return differences;
}

/** Builds the verifier. */
export function landingVerifier({ receipts, repositoryOf, clock }: VerifierEdges): LandingVerifier {
  /**
   * Whether the record of ref changes shows that the branch was deleted, or moved to where its commits are not, since
   * the landing.
   */
  async function wasRewritten(repo: Repository, receipt: LandingReceipt): Promise<boolean> {
    for (const { before, after } of await receipts.movesSince(receipt)) {
      if (after === zeroSha) return true;
      if (before === zeroSha) continue;
      const [old, now] = [shaOf(before), shaOf(after)];
      if (old === undefined || now === undefined || !(await isAncestor(repo, old, now))) return true;
    }
    return false;
  }

  /**
   * A landing that its branch no longer holds differs, unless the branch was rewritten or deleted through the service
   * since: that is theirs to do, and only said. What happened to a branch is remembered for seven days; of older
   * landings it is always only said.
   */
  async function absence(
    repo: Repository,
    receipt: LandingReceipt,
    landed: Sha,
  ): Promise<'here' | 'explained' | 'unexplained'> {
    if (await isInBranch(repo, receipt.targetBranch, landed)) return 'here';
    if (clock().getTime() - receipt.landedAt.getTime() > remembered) return 'explained';
    return (await wasRewritten(repo, receipt)) ? 'explained' : 'unexplained';
  }

  /** What the record of ref changes says of the landing of a batch, as long as it is remembered. */
  async function batchMoves(receipt: LandingReceipt, members: readonly BatchMember[]): Promise<readonly string[]> {
    if (members.length === 0 || clock().getTime() - receipt.landedAt.getTime() > remembered) return [];
    const { base, commits } = commitsOf(receipt, members);
    return moveDifferences(receipt, members, await receipts.batchMoves(receipt, base, commits));
  }

  async function verifyReceipt(receipt: LandingReceipt): Promise<LandingVerdict> {
    const members = receipt.batchIids.length === 0 ? [] : await receipts.membersOf(receipt);
    const differences = [
      ...recordDifferences(receipt, members),
      ...pipelineDifferences(receipt, await receipts.pipelineOf(receipt)),
      ...(await batchMoves(receipt, members)),
    ];
    const findings: string[] = [];
    const repo = await repositoryOf(receipt.projectId);
    try {
      if (!(await repositoryExists(repo)))
        return { receipt, differences: [...differences, 'the repository is missing'], findings };
      const recomputed = await recomputeLanding(repo, receipt);
      differences.push(...recomputed.differences);
      if (receipt.batchIids.length > 0 && recomputed.landed !== undefined)
        differences.push(...(await chainDifferences(repo, receipt, members)));
      const found = recomputed.landed === undefined ? 'here' : await absence(repo, receipt, recomputed.landed);
      if (found !== 'here') (found === 'explained' ? findings : differences).push('no longer in the target branch');
    } catch (error) {
      // Git could not read what it was asked for: an object is broken, or one that another object needs is missing.
      if (!(error instanceof GitCommandError)) throw error;
      differences.push(error.message.trim());
    }
    return { receipt, differences, findings };
  }

  return {
    async *verify(which, limit = Number.POSITIVE_INFINITY) {
      let after = 0;
      for (let left = limit; left > 0; ) {
        const found = await receipts[which](after, Math.min(batch, left));
        for (const receipt of found) {
          after = receipt.id;
          const verdict = await verifyReceipt(receipt);
          await receipts.record(receipt.id, verdict.differences);
          if (verdict.differences.length > 0) {
            const { projectId, mergeRequestIid } = receipt;
            logger.error(
              {
                receipt_id: receipt.id,
                project_id: projectId,
                merge_request_iid: mergeRequestIid,
                differences: verdict.differences,
              },
              'a landing differs from its receipt',
            );
          }
          yield verdict;
        }
        if (found.length === 0) return;
        left -= found.length;
      }
    },
  };
}
