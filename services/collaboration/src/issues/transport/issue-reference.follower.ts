import { faultPoint, faultPoints } from '@switchyard/events';
import type {
  MergeRequestEvent,
  MergeRequestIssueReferences,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import type { MergeRequestFollower } from '../../merge-requests';
import type { followIssueReferences, ReferringEvent } from '../application/follow-issue-references';

faultPoints.push('issue_reference.written', 'issue_reference.committed');

const written = (references: MergeRequestIssueReferences | undefined): ReferringEvent['fact'] | undefined =>
  references && { kind: 'written', references };

function factOf({ fact, issueReferences }: MergeRequestEvent): ReferringEvent['fact'] | undefined {
  switch (fact?.$case) {
    case 'created':
    case 'updated':
      return written(fact.value.issueReferences);
    case 'merged':
      return { kind: 'merged', targetBranch: fact.value.targetBranch };
    case 'deleted':
      return { kind: 'deleted' };
    case undefined:
      return written(issueReferences) ?? { kind: 'stood' };
    case 'closed':
    case 'reopened':
      return { kind: 'stood' };
    default:
      return undefined;
  }
}

/**
 * Issues that merge requests name are linked, and closed when these land. Imported history closes nothing: only its
 * creation and its texts are published.
 */
export const issueReferenceFollower =
  (follow: ReturnType<typeof followIssueReferences>): MergeRequestFollower =>
  async (tx, event) => {
    const { mergeRequest, actorId } = event;
    const fact = factOf(event);
    if (mergeRequest === undefined || fact === undefined) return;
    const { id, iid, projectId, state } = mergeRequest;
    await follow(tx, { mergeRequest: { id, iid, projectId, closed: state === 'closed' }, actorId, fact });
    faultPoint('issue_reference.written');
    tx.afterCommit(() => faultPoint('issue_reference.committed'));
  };
