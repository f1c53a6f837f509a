import { AsyncLocalStorage } from 'node:async_hooks';
import { notFound } from '@switchyard/errors';
import {
  branchRef,
  checkMergeability as checkPairs,
  mergeRequestRef,
  parseBranchName,
  parseSha,
  type RefName,
  type Repository,
  readHeads,
  refsContaining,
  runForCaller,
  type Sha,
} from '../../git';
import type { MergeRequest } from '../domain/merge-request';
import type { MergeabilityResult } from '../domain/merge-request-change';
import type { MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';
import { isAcross, keepHeadsOfForks } from './source-branch';
import { together } from './together';

/**
 * Brings the mergeability of one merge request up to date before something depends on it. `as_seen`: what the view says
 * holds for the tips of both branches; `saved`: what was found out has been saved, unless a push made it void.
 */
export type CheckMergeability = (view: MergeRequestView) => Promise<'as_seen' | 'saved'>;

type CheckEdges = Pick<MergeRequestEdges, 'mergeRequests' | 'openRepository' | 'changeRefs'>;

type Heads = ReadonlyMap<string, Sha>;

const targetsOf = (repo: Repository, rows: readonly MergeRequest[]): Promise<Heads> =>
  readHeads(
    repo,
    rows.map(({ targetBranch }) => targetBranch),
  );

/**
 * Whether a merge request was found mergeable with these two commits: a push to either side makes its status unknown,
 * and two commits always merge alike. A conflict is checked again, since it is also what git's failures are saved as.
 */
const isKnown = ({ mergeStatus, targetSha, targetBranch }: MergeRequest, heads: Heads): boolean =>
  mergeStatus === 'can_be_merged' && targetSha !== undefined && heads.get(targetBranch) === targetSha;

/** The ref of the target's repository that points at the head. */
const sourceRef = (row: MergeRequest): RefName =>
  isAcross(row) ? mergeRequestRef(row.iid, 'head') : branchRef(parseBranchName(row.sourceBranch));

async function resultsFor(
  edges: CheckEdges,
  repo: Repository,
  rows: readonly MergeRequest[],
  heads: Heads,
): Promise<MergeabilityResult[]> {
  const pairs = rows.flatMap((row) => {
    const target = heads.get(row.targetBranch);
    return target === undefined || row.sourceSha === undefined
      ? []
      : [{ row, target, source: parseSha(row.sourceSha) }];
  });
  await keepHeadsOfForks(edges, repo, rows);
  const ofForks = rows.filter(isAcross).map(({ iid }) => mergeRequestRef(iid, 'head'));
  const [answers, containing] = await Promise.all([
    checkPairs(repo, pairs),
    // Branches that hold all of a target: one process per target, however many merge requests it has.
    Promise.all(
      [...new Set(heads.values())].map(
        async (sha) => [sha, new Set(await refsContaining(repo, sha, 'branch', ofForks))] as const,
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
      needsRebase: found !== undefined && upToDate.get(found.target)?.has(sourceRef(row)) !== true,
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
    await edges.mergeRequests.saveChecks(await resultsFor(edges, repo, rows, await targetsOf(repo, rows)));
  };

/** Checks merge requests of a project now, against the tips of their branches, all in the same git processes. */
async function checkSome(
  edges: CheckEdges,
  projectId: number,
  rows: readonly MergeRequest[],
): Promise<('as_seen' | 'saved')[]> {
  const { repo } = await edges.openRepository(projectId);
  const heads = await targetsOf(repo, rows);
  const unknown = new Map(rows.flatMap((row) => (isKnown(row, heads) ? [] : [[row.id, row] as const])));
  if (unknown.size > 0)
    await edges.mergeRequests.saveChecks(await resultsFor(edges, repo, [...unknown.values()], heads));
  return rows.map(({ id }) => (unknown.has(id) ? 'saved' : 'as_seen'));
}

/** Checks one merge request now, against the tips of both branches. */
export const checkOne =
  (edges: CheckEdges): CheckMergeability =>
  async ({ mergeRequest }) => {
    if (mergeRequest.state !== 'opened') return 'as_seen';
    const [outcome] = await checkSome(edges, mergeRequest.projectId, [mergeRequest]);
    return outcome ?? 'as_seen';
  };

/** Merge requests checked together at the most: some 0.1 s of git. */
const checkedAtOnce = 100;

/**
 * As {@link checkOne}, for callers, of whom many may ask at once: one check runs for a project at a time, and the next
 * one serves all who wait for it.
 */
export const checkTogether = (edges: CheckEdges): CheckMergeability => {
  // The check belongs to all who wait for it: it must not end, count or be refused with the call that asked first.
  const ofNobody = AsyncLocalStorage.snapshot();
  const { signal } = new AbortController();
  const check = together(checkedAtOnce, (projectId: number, rows: readonly MergeRequest[]) =>
    ofNobody(() =>
      runForCaller({ caller: `checks of project ${projectId}`, single: false, kind: 'call', signal }, () =>
        checkSome(edges, projectId, rows),
      ),
    ),
  );
  return async ({ mergeRequest }) =>
    mergeRequest.state === 'opened' ? check(mergeRequest.projectId, mergeRequest) : 'as_seen';
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
    if ((await check(view)) === 'as_seen') break;
    const now = await edges.mergeRequests.view({ id: found.mergeRequest.id });
    if (now === undefined) throw notFound();
    view = now;
    const { mergeStatus, state } = view.mergeRequest;
    if (state !== 'opened' || mergeStatus === 'can_be_merged' || mergeStatus === 'cannot_be_merged') break;
  }
  return view;
}
