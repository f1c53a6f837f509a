import { faultPoint, faultPoints } from '@switchyard/events';
import { mergeRequestRef, parseSha, type Repository, readHeads, readRefs, type Sha } from '../../git';
import type { RepositoryAccess } from '../../repositories';
import type { MergeRequest } from '../domain/merge-request';
import { keepHeadRef } from './keep-head-ref';

faultPoints.push('merge_request.commits_brought');

/** Which branches a merge request is about. */
type Branches = Pick<MergeRequest, 'projectId' | 'sourceProjectId' | 'sourceBranch' | 'targetBranch'>;

/** True when the source branch lies in another project, a fork. */
export const isAcross = ({ projectId, sourceProjectId }: Pick<Branches, 'projectId' | 'sourceProjectId'>): boolean =>
  projectId !== sourceProjectId;

/** Where the source branch points now, read where it lies; undefined when the branch or its project is gone. */
export const readSource = (
  { readHead }: Pick<RepositoryAccess, 'readHead'>,
  { sourceProjectId, sourceBranch }: Pick<Branches, 'sourceProjectId' | 'sourceBranch'>,
): Promise<Sha | undefined> => readHead(sourceProjectId, sourceBranch);

/**
 * Where both branches point now, as commits of the target's repository. The head of a fork's branch is one of them only
 * once it was brought over: while the branch points elsewhere than the merge request knows, it is undefined.
 */
export async function headsOf(
  edges: Pick<RepositoryAccess, 'readHead'>,
  repo: Repository,
  mr: Branches & Pick<MergeRequest, 'sourceSha'>,
): Promise<{ readonly source: Sha | undefined; readonly target: Sha | undefined }> {
  const { sourceBranch, targetBranch } = mr;
  if (!isAcross(mr)) {
    const heads = await readHeads(repo, [sourceBranch, targetBranch]);
    return { source: heads.get(sourceBranch), target: heads.get(targetBranch) };
  }
  const [heads, source] = await Promise.all([readHeads(repo, [targetBranch]), readSource(edges, mr)]);
  return { source: source === mr.sourceSha ? source : undefined, target: heads.get(targetBranch) };
}

/**
 * Brings a commit of a fork, with all it reaches, into the target's repository (ADR 39); repeatable. The head that the
 * merge request has now is there already.
 */
export async function bringSource(
  { bringCommit }: Pick<RepositoryAccess, 'bringCommit'>,
  {
    projectId: into,
    sourceProjectId: from,
    sourceSha,
  }: Pick<Branches, 'projectId' | 'sourceProjectId'> & Partial<Pick<MergeRequest, 'sourceSha'>>,
  sha: Sha,
): Promise<void> {
  const known = sourceSha === undefined ? [] : [parseSha(sourceSha)];
  if (await bringCommit({ from, into, sha, known })) faultPoint('merge_request.commits_brought');
}

/**
 * Points the head refs of merge requests from forks at their heads, where a process died before it did: of these no
 * branch of the target holds the commits.
 */
export async function keepHeadsOfForks(
  edges: Pick<RepositoryAccess, 'changeRefs'>,
  repo: Repository,
  rows: readonly MergeRequest[],
): Promise<void> {
  const across = rows.filter((row) => isAcross(row) && row.sourceSha !== undefined);
  if (across.length === 0) return;
  const refs = await readRefs(
    repo,
    across.map(({ iid }) => mergeRequestRef(iid, 'head')),
  );
  for (const row of across) {
    // One that is there may be ahead of the row: a push moves it first.
    if (refs.has(mergeRequestRef(row.iid, 'head'))) continue;
    await keepHeadRef(edges, repo, row, parseSha(row.sourceSha ?? ''));
  }
}
