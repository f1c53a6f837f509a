import type { Readable } from 'node:stream';
import type { PageInfo, PageRequest } from '@switchyard/database';
import { fullPath, type Viewer } from '@switchyard/directory';
import { AppError, notFound } from '@switchyard/errors';
import type { Caller } from '../../callers';
import {
  aheadBehind,
  type Commit,
  countCommits,
  createMergeCommit,
  type Diff,
  type DiffLimits,
  diff as diffOf,
  listCommits,
  parseSha,
  rawDiff,
  resolveRevision,
  type Sha,
} from '../../git';
import { mayMergeInto } from '../../repositories';
import type { MergeRequestState } from '../domain/merge-request';
import type { StoredDiff } from '../domain/merge-request-change';
import type { MergeRequestDetails } from '../domain/merge-request-details';
import { checksOf, type MergeRequestView } from '../domain/merge-request-view';
import { keepHeadRef } from './keep-head-ref';
import type { MergeRequestEdges } from './merge-request.edges';
import { headsOf, isAcross } from './source-branch';
import { viewOf } from './view-of';

/** Reads one merge request. Reading one whose mergeability is not known has it checked; lists do not. */
export const readMergeRequest =
  (edges: MergeRequestEdges) =>
  async (
    caller: Caller,
    key: { id: number } | { projectId: number; iid: number },
    options: { diverged?: boolean } = {},
  ): Promise<MergeRequestDetails> => {
    const view = await viewOf(edges, key, caller);
    const { mergeRequest: mr } = view;
    const [diff, headPipeline, subscribed, canMerge, firstContribution, firstDeployedAt, divergedCommits] =
      await Promise.all([
        mr.latestDiffId === undefined ? undefined : edges.mergeRequests.diff(mr.id, mr.latestDiffId),
        headPipelineOf(edges, caller, view),
        caller.userId > 0 && edges.mergeRequests.isSubscribed(mr.id, caller.userId),
        caller.userId > 0 && mayMergeInto(edges, mr.projectId, mr.targetBranch, caller),
        edges.mergeRequests.isFirstContribution(mr),
        mr.state === 'merged' ? edges.mergeRequests.firstDeployedToProductionAt(mr.id) : undefined,
        options.diverged ? diverged(edges, view) : undefined,
      ]);
    if (mr.state === 'opened' && checksOf(view).mergeStatus === 'unchecked') {
      await edges.jobs.enqueue([{ kind: 'mergeability', projectId: mr.projectId }]);
    }
    return { view, diff, headPipeline, subscribed, canMerge, firstContribution, firstDeployedAt, divergedCommits };
  };

/**
 * The head pipeline, which may run in a fork: there it is for those who read the fork's code, so that nobody else learns
 * the fork's path.
 */
async function headPipelineOf(
  edges: MergeRequestEdges,
  viewer: Viewer,
  { mergeRequest: mr, project }: MergeRequestView,
): Promise<MergeRequestDetails['headPipeline']> {
  if (mr.headPipelineId === undefined) return undefined;
  const own = await edges.pipelines.find(mr.projectId, mr.headPipelineId);
  if (own !== undefined) return { ...own, fullPath: fullPath(project) };
  if (!isAcross(mr)) return undefined;
  const [fork] = await edges.codeReaders(viewer, [mr.sourceProjectId]);
  const found = fork && (await edges.pipelines.find(fork.id, mr.headPipelineId));
  return found && { ...found, fullPath: fork.fullPath };
}

/** Commits the target branch has beyond the source branch. */
async function diverged(edges: MergeRequestEdges, { mergeRequest }: MergeRequestView): Promise<number> {
  const { repo } = await edges.openRepository(mergeRequest.projectId);
  const { source, target } = await headsOf(edges, repo, mergeRequest);
  return source === undefined || target === undefined ? 0 : (await aheadBehind(repo, target, source)).behind;
}

async function versionOf(edges: MergeRequestEdges, view: MergeRequestView): Promise<StoredDiff | undefined> {
  const { id, latestDiffId } = view.mergeRequest;
  return latestDiffId === undefined ? undefined : edges.mergeRequests.diff(id, latestDiffId);
}

/** A page that git cut. */
export interface CutPage<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Commits of a merge request, newest first. */
export const readCommitsOf =
  (edges: MergeRequestEdges) =>
  async (
    key: { projectId: number; iid: number },
    page: { skip: number; limit: number },
  ): Promise<CutPage<Commit> & { view: MergeRequestView }> => {
    const view = await viewOf(edges, key);
    const version = await versionOf(edges, view);
    if (version === undefined) return { view, items: [], total: 0 };
    const { repo } = await edges.openRepository(key.projectId);
    const query = { from: [parseSha(version.headSha)], not: [parseSha(version.startSha)] };
    const [items, total] = await Promise.all([listCommits(repo, { ...query, ...page }), countCommits(repo, query)]);
    return { view, items, total };
  };

const nothing: Diff = { base: '' as Sha, files: [], total: 0, overflow: false };

async function compare(
  edges: MergeRequestEdges,
  projectId: number,
  version: Pick<StoredDiff, 'baseSha' | 'headSha'> | undefined,
  options: { unidiff: boolean; limits?: DiffLimits },
): Promise<Diff> {
  if (version === undefined) return nothing;
  const { repo } = await edges.openRepository(projectId);
  const [from, to] = [parseSha(version.baseSha), parseSha(version.headSha)];
  return diffOf(repo, { from, to, mode: 'straight', ...options });
}

/** Diffs of a merge request's files; with `page` those of one page alone get their text. */
export const readDiffsOf =
  (edges: MergeRequestEdges) =>
  async (
    key: { projectId: number; iid: number },
    options: { unidiff: boolean; page?: { skip: number; limit: number } },
  ): Promise<{ view: MergeRequestView; diff: Diff }> => {
    const view = await viewOf(edges, key);
    const { page, unidiff } = options;
    const limits = page === undefined ? undefined : { offset: page.skip, limit: page.limit };
    return { view, diff: await compare(edges, key.projectId, await versionOf(edges, view), { unidiff, limits }) };
  };

/** The diff of a merge request as git prints it; `open` streams it, and is undefined when there is nothing to compare. */
export const readRawDiffOf =
  (edges: MergeRequestEdges) =>
  async (key: {
    projectId: number;
    iid: number;
  }): Promise<{ version: readonly string[]; open: () => Promise<Readable | undefined> }> => {
    const version = await versionOf(edges, await viewOf(edges, key));
    if (version === undefined) return { version: [], open: async () => undefined };
    const { repo } = await edges.openRepository(key.projectId);
    const [from, to] = [parseSha(version.baseSha), parseSha(version.headSha)];
    return { version: [from, to], open: () => rawDiff(repo, { from, to, mode: 'straight' }) };
  };

/** Merge requests whose own commits hold a commit, or that landed as it; a page of those that the caller sees. */
export const findMergeRequestsOfCommit =
  (edges: MergeRequestEdges) =>
  async (
    viewer: Viewer,
    { projectId, sha, state }: { projectId: number; sha: string; state: MergeRequestState | undefined },
    request: PageRequest,
  ): Promise<{ rows: MergeRequestView[]; page: PageInfo }> => {
    const { repo } = await edges.openRepository(projectId);
    const commit = await resolveRevision(repo, sha);
    if (commit === undefined) throw notFound('Commit');
    return edges.mergeRequests.list({ scope: { projectId }, filter: { commit: commit.sha, state }, viewer, request });
  };

/** One version of a merge request's diff with its commits and files. */
export const readVersionOf =
  (edges: MergeRequestEdges) =>
  async (
    key: { projectId: number; iid: number },
    versionId: number,
    unidiff: boolean,
  ): Promise<{ view: MergeRequestView; version: StoredDiff; commits: Commit[]; diff: Diff }> => {
    const view = await viewOf(edges, key);
    const version = await edges.mergeRequests.diff(view.mergeRequest.id, versionId);
    if (version === undefined) throw notFound();
    const { repo } = await edges.openRepository(key.projectId);
    const [commits, diff] = await Promise.all([
      listCommits(repo, { from: [parseSha(version.headSha)], not: [parseSha(version.startSha)], limit: 1_000 }),
      compare(edges, key.projectId, version, { unidiff }),
    ]);
    return { view, version, commits, diff };
  };

const mergeRefSignature = { name: 'Switchyard', email: 'switchyard@localhost' };

/**
 * The commit a merge would give, kept on `refs/merge-requests/<iid>/merge`. @throws AppError bad_request when git
 * cannot merge
 */
export const readMergeRef =
  (edges: MergeRequestEdges) =>
  async (key: { projectId: number; iid: number }): Promise<string> => {
    const view = await viewOf(edges, key);
    const { mergeRequest: mr } = view;
    const refused = (): AppError => new AppError('bad_request', 'Merge request is not mergeable');
    if (mr.state !== 'opened') throw refused();
    const { repo } = await edges.openRepository(key.projectId);
    const { source, target } = await headsOf(edges, repo, mr);
    if (source === undefined || target === undefined) throw refused();
    // The date is that of the merge request: the same two heads give the same commit, so asking again moves nothing.
    const signature = { ...mergeRefSignature, date: mr.createdAt };
    const message = `Merge branch '${mr.sourceBranch}' into '${mr.targetBranch}'`;
    const merged = await createMergeCommit(repo, { source, target, author: signature, committer: signature, message });
    if (!merged.ok) throw refused();
    await keepHeadRef(edges, repo, mr, merged.sha, 'merge');
    return merged.sha;
  };
