import { notFound } from '@switchyard/errors';
import {
  branchRef,
  checkMergeability as checkPairs,
  parseBranchName,
  parseSha,
  type Repository,
  readHeads,
  refsContaining,
} from '../../git';
import type { MergeRequest } from '../domain/merge-request';
import type { MergeabilityResult } from '../domain/merge-request-change';
import type { MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';

/** Brings the mergeability of one merge request up to date before something depends on it. */
export type CheckMergeability = (view: MergeRequestView) => Promise<void>;

async function resultsFor(repo: Repository, rows: readonly MergeRequest[]): Promise<MergeabilityResult[]> {
  const heads = await readHeads(
    repo,
    rows.map(({ targetBranch }) => targetBranch),
  );
  const pairs = rows.flatMap((row) => {
    const target = heads.get(row.targetBranch);
    return target === undefined || row.sourceSha === undefined
      ? []
      : [{ row, target, source: parseSha(row.sourceSha) }];
  });
  const [answers, containing] = await Promise.all([
    checkPairs(repo, pairs),
    // Branches that hold all of a target: one process per target, however many merge requests it has.
    Promise.all(
      [...new Set(heads.values())].map(
        async (sha) => [sha, new Set(await refsContaining(repo, sha, 'branch'))] as const,
      ),
    ),
  ]);
  const upToDate = new Map(containing);
  const checked = new Map(pairs.map((pair, at) => [pair.row.id, { ...pair, answer: answers[at] }]));
  return rows.map((row) => {
    const found = checked.get(row.id);
    return {
      id: row.id,
      generation: row.mergeStatusGeneration,
      sourceSha: row.sourceSha ?? '',
      targetSha: found?.target ?? row.targetSha ?? '',
      mergeable: found?.answer?.mergeable ?? false,
      needsRebase:
        found !== undefined && upToDate.get(found.target)?.has(branchRef(parseBranchName(row.sourceBranch))) !== true,
    };
  });
}

/**
 * The job after a push: checks every open merge request of a project whose mergeability is not known, all in one git
 * process.
 */
export const checkProject =
  (edges: MergeRequestEdges) =>
  async (projectId: number): Promise<void> => {
    const rows = await edges.mergeRequests.startChecks(projectId);
    if (rows.length === 0) return;
    const { repo } = await edges.openRepository(projectId);
    await edges.mergeRequests.saveChecks(await resultsFor(repo, rows));
  };

/** Checks one merge request now, against the tips of both branches. */
export const checkOne =
  (edges: MergeRequestEdges): CheckMergeability =>
  async ({ mergeRequest }) => {
    if (mergeRequest.state !== 'opened') return;
    const { repo } = await edges.openRepository(mergeRequest.projectId);
    await edges.mergeRequests.saveChecks(await resultsFor(repo, [mergeRequest]));
  };

/** How often a check is repeated because a push, or another merge into the same branch, made its answer void. */
const checkTries = 10;

/** The merge request with its mergeability known, as far as pushes let it be. */
export async function withKnownMergeability(
  edges: Pick<MergeRequestEdges, 'mergeRequests'>,
  check: CheckMergeability,
  found: MergeRequestView,
): Promise<MergeRequestView> {
  let view = found;
  for (let tried = 0; tried < checkTries; tried += 1) {
    await check(view);
    const now = await edges.mergeRequests.view({ id: found.mergeRequest.id });
    if (now === undefined) throw notFound();
    view = now;
    const { mergeStatus, state } = view.mergeRequest;
    if (state !== 'opened' || mergeStatus === 'can_be_merged' || mergeStatus === 'cannot_be_merged') break;
  }
  return view;
}
