import type { Database } from '@switchyard/database';
import { type EnsureLabels, keepInPriorityOrder, priorityOrderStore, writtenNames } from '@switchyard/directory';
import type { ServiceImplementation } from '@switchyard/rpc';
import { observe } from '@switchyard/telemetry';
import { commandSteps } from '@switchyard/texts';
import type { KeepCounters } from './application/change-noteable';
import { createIssue } from './application/create-issue';
import { deleteIssue } from './application/delete-issue';
import { followIssueReferences } from './application/follow-issue-references';
import type { IssueEdges } from './application/issue.edges';
import { issueEditor, issueNoteables, keepIssueCounters } from './application/issue-noteables';
import { listIssuesOfMergeRequest, listMergeRequestsOfIssue } from './application/list-issue-references';
import { moveIssue } from './application/move-issue';
import type { NoteableResolver } from './application/noteables';
import { purgeIssues } from './application/purge-issues';
import { listParticipantsOfIssue, readIssue, readIssueById } from './application/read-issue';
import { readIssueTarget, readIssueTargets } from './application/read-issue-targets';
import type { NoteableEditor } from './application/run-quick-actions';
import { subscribeToIssue } from './application/subscribe-to-issue';
import type { TargetOwner } from './application/todo-targets';
import { trackIssueTime } from './application/track-issue-time';
import { updateIssue } from './application/update-issue';
import type { MergeRequestFollower } from './merge-requests';
import type { KeepCounters, NoteableEditor, NoteableResolver } from './noteables';
import { issueUrl } from './presenters/issue.presenter';
import { issueList, issueOrders } from './storage/issue.list';
import { changeIssue, issueStore } from './storage/issue.store';
import { issueCounters } from './storage/issue-counter.store';
import { issueDirectoryStore, issueDirectoryWithin } from './storage/issue-directory.store';
import { issueLinks, issueMergeRequestList } from './storage/issue-link.store';
import { issueParticipantList } from './storage/issue-participant.list';
import { issueHandler } from './transport/issue.handler';
import { issueReferenceFollower } from './transport/issue-reference.follower';
import { issueTargets } from './transport/issue-targets';

/** What issues are built from. */
export interface IssuePartEdges {
  readonly db: Database;
  readonly ensureLabels: EnsureLabels;
  /** Merge requests, as their owner shows them. */
  readonly mergeRequests: TargetOwner;
  readonly directory: { sequence(): number };
  readonly externalUrl: string;
  readonly clock?: () => Date;
}

/** Issues as a part of the service. */
export interface IssuePart {
  readonly services: readonly ServiceImplementation[];
  /** Starts what runs beside requests. */
  startBackground(): { close(): Promise<void> }[];
  /** What follows from what happens to merge requests. */
  readonly mergeRequestFollowers: readonly MergeRequestFollower[];
  /** Issues as what to-dos point at. */
  readonly targets: TargetOwner;
  /** Issues as what carries notes. */
  readonly notes: {
    readonly find: NoteableResolver<'Issue'>;
    readonly editor: NoteableEditor;
    readonly keepCounters: KeepCounters;
  };
}

/** Builds issues. */
export function composeIssues(given: IssuePartEdges): IssuePart {
  const { db, externalUrl } = given;
  const clock = given.clock ?? (() => new Date());
  const edges: IssueEdges = {
    issues: issueStore(db),
    lists: issueList(db),
    directory: issueDirectoryStore(db),
    ensureLabels: given.ensureLabels,
    commandSteps: commandSteps({ names: writtenNames(db), clock }),
    clock,
  };
  const useCases = observe('issues', {
    readIssue: readIssue(edges),
    readIssueById: readIssueById(edges),
    createIssue: createIssue(edges),
    updateIssue: updateIssue(edges),
    deleteIssue: deleteIssue(edges),
    moveIssue: moveIssue(edges),
    trackIssueTime: trackIssueTime(edges),
    subscribeToIssue: subscribeToIssue(edges),
    listMergeRequestsOfIssue: listMergeRequestsOfIssue(edges, issueMergeRequestList(db), given.mergeRequests),
    listIssuesOfMergeRequest: listIssuesOfMergeRequest(edges, given.mergeRequests),
    readIssueTargets: readIssueTargets(edges),
    readIssueTarget: readIssueTarget(edges),
    listIssueParticipants: listParticipantsOfIssue(edges, issueParticipantList(db)),
  });
  const { followReferences } = observe('issues.references', {
    followReferences: followIssueReferences({
      links: issueLinks,
      directory: issueDirectoryWithin,
      changeIssue,
      clock: edges.clock,
    }),
  });
  return {
    startBackground: () => [
      purgeIssues(edges.issues),
      keepInPriorityOrder(priorityOrderStore(db, issueOrders), given.directory),
    ],
    services: [issueHandler(useCases, { lists: edges.lists, externalUrl, clock: edges.clock })],
    mergeRequestFollowers: [issueReferenceFollower(followReferences)],
    targets: issueTargets(useCases, { externalUrl, clock: edges.clock }),
    notes: {
      find: issueNoteables(edges, (view) => issueUrl(view, externalUrl)),
      editor: issueEditor(useCases),
      keepCounters: keepIssueCounters(issueCounters),
    },
  };
}
