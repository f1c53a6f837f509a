import { isAppError, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import {
  branchNameOf,
  branchRef,
  countCommits,
  isAncestor,
  mergedRefs,
  mergeRequestRef,
  type Repository,
  readCommit,
  readHeads,
  type Sha,
} from '../../git';
import { branchOf, type RefChange, type RefChangeSubscriber, type RepositoryAccess } from '../../repositories';
import {
  decideMergedByPush,
  decideNewHead,
  decideSourceDeleted,
  decideSourceRestored,
  type FollowedChange,
} from '../domain/followed-push';
import type { MergeRequest } from '../domain/merge-request';
import type { Push } from '../domain/merge-request-change';
import { compareBranches } from './compare-branches';
import { keepHeadRef } from './keep-head-ref';
import { landing, landingOfCause } from './land-merge-request';
import type { FollowEdges } from './merge-request.edges';
import { publishLaterFacts } from './publish-later-facts';
import { retargetStacked } from './retarget-stacked';
import { bringSource, headsOf, isAcross, readSource } from './source-branch';
import { suggestionsOfCause } from './suggested-changes';

faultPoints.push('merge_request.head_kept');

/** Seconds between a train's landing and the check of the merge requests that are not on it. */
const recheckDelay = 1;

/** What moving a branch from one commit to another changed of it; undefined when the old one was deleted. */
async function pushBetween(repo: Repository, oldSha: Sha, newSha: Sha): Promise<Push | undefined> {
  if ((await readCommit(repo, oldSha)) === undefined) return undefined;
  const commits = await countCommits(repo, { from: [newSha], not: [oldSha] });
  return { oldSha, newSha, commits, rewritten: !(await isAncestor(repo, oldSha, newSha)) };
}

/** The repository of a project; undefined when the project is deleted, or marked for it. */
async function repositoryIfThere(
  { openRepository }: Pick<RepositoryAccess, 'openRepository'>,
  projectId: number,
): Promise<Repository | undefined> {
  try {
    return (await openRepository(projectId)).repo;
  } catch (error) {
    if (!isAppError(error, 'not_found')) throw error;
    return undefined;
  }
}

type FollowingEdges = FollowEdges & RepositoryAccess;

/**
 * Merge requests follow every push to either side: new head and diff version, mergeability to be checked again, merged
 * when the commits landed by a push, closed when the source branch is deleted. It reads where the refs are now, so a
 * change published twice or late changes nothing more.
 */
export const followRefChanges = (edges: FollowEdges): RefChangeSubscriber => ({
  async afterRefChange(change, repositories) {
    const all = { ...edges, ...repositories };
    const landed = landingOfCause(change.cause);
    const targetBranch = branchOf(change.ref);
    if (landed !== undefined && targetBranch !== undefined) {
      const { projectId, after: newSha } = change;
      await landing(all).finish({ mergeRequestId: landed.id, projectId, targetBranch, newSha });
    }
    const suggested = suggestionsOfCause(change.cause);
    if (suggested !== undefined) {
      const { mergeRequestId, suggestionIds } = suggested;
      const fact = {
        kind: 'suggestions_applied',
        suggestionIds,
        commitSha: change.after,
        changeId: change.id,
      } as const;
      await publishLaterFacts(edges)([{ mergeRequestId, fact }], change.actorId);
    }
    await following(all).follow(change, landed?.byTrain ?? false);
  },
});

/** The job that sees to the open merge requests into a branch after a train has landed some. */
export const recheckTarget =
  (edges: FollowingEdges) =>
  (projectId: number, branch: string): Promise<void> =>
    following(edges).recheck(projectId, branch);

/**
 * Takes the head that a source branch was given while its merge request was being opened: who followed that push did not
 * find it. To be called once the row is there.
 */
export const catchUpWithSource =
  (edges: FollowingEdges) =>
  (id: number, actorId: number): Promise<void> =>
    following(edges).catchUp(id, actorId);

/**
 * The job that does the same for a push to a fork that another process has than the target. Commits that the target
 * refuses hold up nothing else, as with a push.
 */
export const followSource =
  (edges: FollowingEdges) =>
  (id: number, actorId: number): Promise<void> =>
    catchUpWithSource(edges)(id, actorId).catch((error: unknown) => {
      if (!isAppError(error, 'unprocessable')) throw error;
    });

/** Merge requests that one run of {@link followSources} sees to. */
const caughtUpAtOnce = 100;

/**
 * Takes the heads that the forks have now for the open merge requests into a project that was marked for deletion: what
 * was pushed there meanwhile was not followed. Goes through them in pieces, each a job of its own; repeatable.
 */
export const followSources =
  (edges: FollowingEdges) =>
  async (projectId: number, after: number): Promise<void> => {
    const ids = await edges.mergeRequests.acrossInto(projectId, after, caughtUpAtOnce);
    for (const id of ids) await followSource(edges)(id, 0);
    const last = ids.at(-1);
    if (last !== undefined && ids.length === caughtUpAtOnce)
      await edges.jobs.enqueue([{ kind: 'follow_sources', projectId, after: last }]);
  };

function following(edges: FollowingEdges) {
  const { mergeRequests } = edges;

  async function closeWithoutSource(mr: MergeRequest, change: RefChange): Promise<void> {
    const now = edges.clock();
    await mergeRequests.change(mr.id, change.actorId, (locked) => decideSourceDeleted(locked, change, now));
  }

  async function followHead(repo: Repository, mr: MergeRequest, source: Sha, change: FollowedChange): Promise<void> {
    if (mr.sourceSha === source && mr.sourceBranchExists) return;
    const across = isAcross(mr);
    if (across) {
      // The ref first: no branch of the target holds these commits, and the row must not name what is not kept.
      await bringSource(edges, mr, source);
      await keepHeadRef(edges, repo, mr, source);
      faultPoint('merge_request.head_kept');
    }
    const target = (await readHeads(repo, [mr.targetBranch])).get(mr.targetBranch);
    const diff = target === undefined ? undefined : await compareBranches(repo, target, source);
    const push = mr.sourceSha === undefined ? undefined : await pushBetween(repo, mr.sourceSha as Sha, source);
    await mergeRequests.change(mr.id, change.actorId, (locked) =>
      decideNewHead(locked, { sourceSha: source, targetSha: target, diff, push }, change),
    );
    if (!across) await keepHeadRef(edges, repo, mr, source);
  }

  async function markLanded(repo: Repository, mr: MergeRequest, target: Sha, actorId: number): Promise<void> {
    const { source } = await headsOf(edges, repo, mr);
    const now = edges.clock();
    await mergeRequests.change(mr.id, actorId, (locked) =>
      decideMergedByPush(locked, { source, target }, actorId, now),
    );
  }

  /**
   * Open merge requests whose head the target branch holds now: they were merged by a push, or by one that was built on
   * them.
   */
  async function findLanded(repo: Repository, rows: readonly MergeRequest[], target: Sha): Promise<MergeRequest[]> {
    const open = rows.filter(({ state, sourceSha }) => state === 'opened' && sourceSha !== undefined);
    const refOf = (mr: MergeRequest) => {
      if (isAcross(mr)) return mergeRequestRef(mr.iid, 'head');
      const name = branchNameOf(mr.sourceBranch);
      return name === undefined ? undefined : branchRef(name);
    };
    const refs = new Map(open.map((mr) => [mr.id, refOf(mr)]));
    const merged = await mergedRefs(
      repo,
      target,
      [...new Set(refs.values())].flatMap((ref) => ref ?? []),
    );
    return open.filter(({ id }) => {
      const ref = refs.get(id);
      return ref !== undefined && merged.has(ref);
    });
  }

  /**
   * What follows for the open merge requests into a branch whose tip is `head` now: some have landed, the others are
   * checked again.
   */
  async function followTarget(
    projectId: number,
    branch: string,
    head: Sha | undefined,
    actorId: number,
    change?: RefChange,
  ): Promise<void> {
    const into = await mergeRequests.openInto(projectId, branch);
    if (into.length === 0) return;
    if (head !== undefined) {
      const { repo } = await edges.openRepository(projectId);
      // Of what came from there the forge says itself when and by whom it was merged.
      const here = into.filter((mr) => change === undefined || !isHistory(change, mr));
      for (const mr of await findLanded(repo, here, head)) {
        const view = await mergeRequests.view({ id: mr.id });
        // A branch without commits of its own was never there to be merged.
        if (view !== undefined && view.commitsCount !== 0) await markLanded(repo, mr, head, actorId);
      }
    }
    await mergeRequests.recheck({ projectId, targetBranch: branch });
  }

  return {
    async follow(change: RefChange, byTrain: boolean): Promise<void> {
      const branch = branchOf(change.ref);
      if (branch === undefined) return;
      const { projectId } = change;
      const from = await mergeRequests.unmergedFrom(projectId, branch);
      // A train lands car after car: the others are checked once for all that landed in the meantime.
      if (byTrain) await edges.jobs.enqueue([{ kind: 'recheck', projectId, targetBranch: branch }], recheckDelay);
      if (byTrain && from.length === 0) return;

      const { repo } = await edges.openRepository(projectId);
      const head = await headOf(repo, branch);
      const merging = from.filter(({ state, sourceSha }) => state === 'locked' && sourceSha !== head);
      if (head === undefined) for (const mr of merging) await closeWithoutSource(mr, change);
      // Whether it still has a head to follow is known when the merge has ended: published again then.
      if (merging.length > 0) throw unavailable('a merge request of the branch is being merged');
      for (const mr of from) {
        if (head === undefined) await closeWithoutSource(mr, change);
        else if (mr.state === 'closed') {
          if (!mr.sourceBranchExists) await mergeRequests.change(mr.id, change.actorId, decideSourceRestored);
        } else if (isAcross(mr) && !(await edges.isHere(mr.projectId))) {
          await edges.jobs.enqueue([{ kind: 'follow_source', mergeRequestId: mr.id, actorId: change.actorId }]);
        } else {
          const into = isAcross(mr) ? await repositoryIfThere(edges, mr.projectId) : repo;
          // A target that is deleted takes its merge requests with it; one that is restored catches up.
          if (into === undefined) continue;
          const history = isHistory(change, mr);
          await followHead(into, mr, head, { ...change, actId: String(change.id), history }).catch((error: unknown) => {
            // Commits that the target refuses hold up nothing else; without them the merge request cannot be merged.
            if (!isAcross(mr) || !isAppError(error, 'unprocessable')) throw error;
          });
        }
      }
      if (byTrain) return;
      await edges.mergeTrains.targetMoved(projectId, branch, change.after);
      if (head === undefined) {
        const into = await mergeRequests.openInto(projectId, branch);
        if (into.length > 0) await retargetStacked(edges)(repo, change, branch, into);
      }
      await followTarget(projectId, branch, head, change.actorId, change);
    },

    /** Takes the head that the source branch of an open merge request has now. */
    async catchUp(id: number, actorId: number): Promise<void> {
      const mr = (await mergeRequests.view({ id }))?.mergeRequest;
      const source = mr === undefined ? undefined : await readSource(edges, mr);
      if (mr === undefined || mr.state !== 'opened' || source === undefined || source === mr.sourceSha) return;
      const { repo } = await edges.openRepository(mr.projectId);
      await followHead(repo, mr, source, { actId: `head-${source}`, actorId });
    },

    async recheck(projectId: number, branch: string): Promise<void> {
      const { repo } = await edges.openRepository(projectId);
      await followTarget(projectId, branch, await headOf(repo, branch), 0);
    },
  };
}

/** Whether a branch moved since it moved at the forge from which a merge request came as well (ADR 73). */
const isHistory = ({ source }: RefChange, { importedFrom }: MergeRequest): boolean =>
  source === 'import' && importedFrom !== 'none';

const headOf = async (repo: Repository, branch: string): Promise<Sha | undefined> => {
  const name = branchNameOf(branch);
  return name === undefined ? undefined : (await readHeads(repo, [name])).get(name);
};
