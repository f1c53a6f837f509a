import type { Database } from '@switchyard/database';
import type { EnsureLabels } from '@switchyard/directory';
import type { ServiceImplementation } from '@switchyard/rpc';
import { observe } from '@switchyard/telemetry';
import { createIssue } from './application/create-issue';
import { deleteIssue } from './application/delete-issue';
import type { IssueEdges } from './application/issue.edges';
import { moveIssue } from './application/move-issue';
import { listParticipantsOfIssue, readIssue, readIssueById } from './application/read-issue';
import { subscribeToIssue } from './application/subscribe-to-issue';
import { trackIssueTime } from './application/track-issue-time';
import { updateIssue } from './application/update-issue';
import { issueList } from './storage/issue.list';
import { issueStore } from './storage/issue.store';
import { issueDirectoryStore } from './storage/issue-directory.store';
import { issueParticipantList } from './storage/issue-participant.list';
import type { openPrisma } from './storage/prisma';
import { issueHandler } from './transport/issue.handler';

/** What issues are built from. */
export interface IssuePartEdges {
  readonly db: Database;
  readonly prisma: ReturnType<typeof openPrisma>;
  readonly ensureLabels: EnsureLabels;
  readonly externalUrl: string;
  readonly clock?: () => Date;
}

/** Issues as a part of the service. */
export interface IssuePart {
  readonly services: readonly ServiceImplementation[];
}

/** Builds issues. */
export function composeIssues({ db, prisma, ensureLabels, externalUrl, clock }: IssuePartEdges): IssuePart {
  const edges: IssueEdges = {
    issues: issueStore(db, prisma),
    lists: issueList(db),
    directory: issueDirectoryStore(db),
    ensureLabels,
    clock: clock ?? (() => new Date()),
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
    listIssueParticipants: listParticipantsOfIssue(edges, issueParticipantList(db)),
  });
  return { services: [issueHandler(useCases, { lists: edges.lists, externalUrl, clock: edges.clock })] };
}
