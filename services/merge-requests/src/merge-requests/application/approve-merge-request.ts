import { unauthorized } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { listCommits, parseSha } from '../../git';
import { developer } from '../../repositories';
import {
  type Approver,
  decideApproval,
  decideReset,
  decideReview,
  decideUnapproval,
  mayApprove,
} from '../domain/approval-change';
import { requirementsOf } from '../domain/approvals';
import type { MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';
import { viewOf } from './view-of';

type Key = { readonly projectId: number; readonly iid: number };

/** What the approvals of a merge request are shown from. */
export interface ApprovalsRead {
  readonly view: MergeRequestView;
  readonly mayApprove: boolean;
  /** Users whom rules name that lack approvals, and who could give one. */
  readonly suggestedIds: readonly number[];
}

/** Commits of a merge request whose authors are looked at, the newest ones: what git prints of them stays small. */
const maxCommits = 10_000;
const commitsAtOnce = 1_000;

/** Whether a user wrote or committed some of a merge request, by their addresses. */
async function hasCommitted(edges: MergeRequestEdges, { mergeRequest: mr }: MergeRequestView, userId: number) {
  if (mr.latestDiffId === undefined) return false;
  const [version, emails] = await Promise.all([
    edges.mergeRequests.diff(mr.id, mr.latestDiffId),
    edges.directory.emailsOf(userId),
  ]);
  if (version === undefined) return false;
  const { repo } = await edges.openRepository(mr.projectId);
  const query = { from: [parseSha(version.headSha)], not: [parseSha(version.startSha)] };
  for (let skip = 0; skip < maxCommits; skip += commitsAtOnce) {
    const commits = await listCommits(repo, { ...query, skip, limit: commitsAtOnce });
    const own = ({ authorEmail, committerEmail }: (typeof commits)[number]): boolean =>
      emails.has(authorEmail.toLowerCase()) || emails.has(committerEmail.toLowerCase());
    if (commits.some(own)) return true;
    if (commits.length < commitsAtOnce) return false;
  }
  return false;
}

/** The caller as one who might approve; git is read only where its answer matters. */
async function approverOf(edges: MergeRequestEdges, view: MergeRequestView, caller: Caller): Promise<Approver> {
  const approver = { userId: caller.userId, eligible: caller.userId > 0 && caller.level >= developer };
  const matters = view.approval.settings.notByCommitters && mayApprove(view, { ...approver, committed: false });
  return { ...approver, committed: matters && (await hasCommitted(edges, view, caller.userId)) };
}

/** Reads who has approved a merge request, whether the caller may, and who else could. */
export const readApprovals =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, key: Key): Promise<ApprovalsRead> => {
    const view = await viewOf(edges, key, caller);
    const { mergeRequest, approval } = view;
    const lacking = requirementsOf(mergeRequest, approval).flatMap(({ rule, left }) =>
      rule === undefined || left === 0 ? [] : [rule.id],
    );
    const [approver, suggested] = await Promise.all([
      approverOf(edges, view, caller),
      edges.mergeRequests.suggestedApprovers(mergeRequest.id, lacking),
    ]);
    const suggestedIds = suggested.filter((id) => approval.settings.byAuthor || id !== mergeRequest.authorId);
    return { view, mayApprove: mayApprove(view, approver), suggestedIds };
  };

/**
 * Approves a merge request in the name of the caller (G-4.2-8). Fails with `not_found`, `unauthorized`; `conflict` when
 * its head is not `sha`.
 */
export const approveMergeRequest =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, key: Key, sha: string | undefined): Promise<void> => {
    const view = await viewOf(edges, key);
    const approver = await approverOf(edges, view, caller);
    const { id, sourceSha } = view.mergeRequest;
    await edges.mergeRequests.change(id, caller.userId, (locked) =>
      // Who has committed was read at this head: one that was pushed since is approved by name alone.
      decideApproval(locked, approver, sha ?? (view.approval.settings.notByCommitters ? sourceSha : undefined)),
    );
  };

/** Takes the approval of the caller back. Fails with `not_found`, `unauthorized`. */
export const unapproveMergeRequest =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, key: Key): Promise<void> => {
    const { mergeRequest } = await viewOf(edges, key);
    await edges.mergeRequests.change(mergeRequest.id, caller.userId, (locked) =>
      decideUnapproval(locked, caller.userId),
    );
  };

/** Says where the review of the caller stands. Fails with `not_found`, `unauthorized`. */
export const submitReview =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, key: Key, state: 'reviewed' | 'requested_changes'): Promise<void> => {
    const { mergeRequest } = await viewOf(edges, key);
    await edges.mergeRequests.change(mergeRequest.id, caller.userId, (locked) =>
      decideReview(locked, caller.userId, state),
    );
  };

/** Takes all approvals of a merge request back, in the name of a bot. Fails with `not_found`, `unauthorized`. */
export const resetApprovals =
  (edges: MergeRequestEdges) =>
  async (caller: Caller, key: Key): Promise<void> => {
    const { mergeRequest } = await viewOf(edges, key);
    if (!(await edges.directory.isBot(caller.userId))) throw unauthorized();
    await edges.mergeRequests.change(mergeRequest.id, caller.userId, decideReset);
  };
