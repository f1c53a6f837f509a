import {
  importedPeople,
  keepInPriorityOrder,
  labelsOf,
  priorityOrderStore,
  trackerLinksOf,
  type Viewer,
  writtenNames,
} from '@switchyard/directory';
import { type Area, archiveSource, eventWriter, type RecordWriter, recordWriter } from '@switchyard/service';
import { commandSteps } from '@switchyard/texts';
import type { Contributions } from '../deleted-users';
import type { Edges } from '../edges';
import type { MergeRequestFollower } from '../merge-requests';
import type { KeepCounters, NoteableEditor, NoteableResolver } from '../noteables';
import { createIssue } from './application/create-issue';
import { authoredIssues } from './application/delete-authored-issues';
import { deleteIssue } from './application/delete-issue';
import { closeIssuesOfPush, followIssueReferences } from './application/follow-issue-references';
import { importIssues, reserveIssueNumbers } from './application/import-issues';
import type { IssueEdges } from './application/issue.edges';
import type { IssueList } from './application/issue.ports';
import { listEventsOfIssue, readEventOfIssue } from './application/issue-events';
import { issueEditor, issueNoteables, keepCounters } from './application/issue-noteables';
import { deleteTimelogOfIssue, listTimelogsOfIssue } from './application/issue-timelogs';
import { listIssuesOfMergeRequest, listMergeRequestsOfIssue } from './application/list-issue-references';
import { moveIssue } from './application/move-issue';
import { purgeIssues } from './application/purge-issues';
import { listParticipantsOfIssue, readIssue, readIssueById } from './application/read-issue';
import { readIssueTarget, readIssueTargets } from './application/read-issue-targets';
import type { ShownMergeRequests } from './application/shown-merge-requests';
import { subscribeToIssue } from './application/subscribe-to-issue';
import { trackIssueTime } from './application/track-issue-time';
import { updateIssue } from './application/update-issue';
import { editIssue } from './domain/issue-edit';
import type { IssueView } from './domain/issue-view';
import { issueUrl } from './presenters/issue.presenter';
import { issueList, issueOrders } from './storage/issue.list';
import { issueStore } from './storage/issue.store';
import { changeIssue } from './storage/issue-change.store';
import { counterStore } from './storage/issue-counter.store';
import { issueDirectoryStore, issueDirectoryWithin } from './storage/issue-directory.store';
import { issueEventStore } from './storage/issue-event.store';
import { issueImportStore } from './storage/issue-import.store';
import { issueLinks, issueMergeRequestList } from './storage/issue-link.store';
import { issueTimelogStore } from './storage/issue-timelog.store';
import { participantList } from './storage/participant.list';
import { issueHandler } from './transport/issue.handler';
import { issueRecord, peopleIn, toImported } from './transport/issue.record';
import { issueEventHandler } from './transport/issue-event.handler';
import { issueImportHandler } from './transport/issue-import.handler';
import { issueReferenceFollower } from './transport/issue-reference.follower';
import { type IssueTargets, issueTargets } from './transport/issue-targets';
import { issueTimelogHandler } from './transport/issue-timelog.handler';
import { pushSubscription } from './transport/push.subscription';

/** Issues, and what other areas use of them. */
export interface Issues extends Area {
  /** Links the issues that merge requests name, and closes them. */
  readonly mergeRequestFollower: MergeRequestFollower;
  /** Issues of a user who was deleted with them. */
  readonly authored: Contributions;
  /** Issues as what to-dos point at. */
  readonly targets: IssueTargets;
  /** Issues as parts of epics. */
  readonly parts: {
    /** Those of `ids` that the viewer may see. */
    viewsByIds(ids: readonly number[], viewer: Viewer): Promise<IssueView[]>;
    /** Makes an issue part of an epic, or of none. Fails with `not_found`, `invalid`. */
    setEpic(id: number, actorId: number, epicId: number | null): Promise<void>;
  };
  readonly lists: Pick<IssueList, 'page'>;
  /** Takes the issues of an archive, and what was done to them. */
  readonly records: Readonly<Record<'issues' | 'issue_events', RecordWriter>>;
  /** Issues as what carries notes. */
  readonly noteables: {
    readonly find: NoteableResolver<'Issue'>;
    readonly editor: NoteableEditor;
    readonly keepCounters: KeepCounters;
  };
}

/** Builds issues. */
export function composeIssues(
  { config, db, directory, peer, clock, observe }: Edges,
  { mergeRequests }: { readonly mergeRequests: ShownMergeRequests },
): Issues {
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  const edges: IssueEdges = {
    issues: issueStore(db),
    lists: issueList(db),
    directory: issueDirectoryStore(db),
    ensureLabels: labelsOf(peer('groups-admin'), directory),
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
    listMergeRequestsOfIssue: listMergeRequestsOfIssue(edges, issueMergeRequestList(db), mergeRequests),
    listIssuesOfMergeRequest: listIssuesOfMergeRequest(edges, mergeRequests),
    readIssueTargets: readIssueTargets(edges),
    readIssueTarget: readIssueTarget(edges),
    listIssueParticipants: listParticipantsOfIssue(edges, participantList(db, 'issue')),
  });
  const eventStore = issueEventStore(db);
  const events = observe('issues.events', {
    listEventsOfIssue: listEventsOfIssue(edges, eventStore),
    readEventOfIssue: readEventOfIssue(edges, eventStore),
  });
  const imported = issueImportStore(db);
  const importing = { directory: edges.directory, imports: imported };
  const imports = observe('issues.imports', {
    importIssues: importIssues(importing),
    reserveNumbers: reserveIssueNumbers(importing),
    addEvents: imported.addEvents,
  });
  const timelogs = issueTimelogStore(db);
  const times = observe('issues.timelogs', {
    listTimelogsOfIssue: listTimelogsOfIssue(edges, timelogs),
    deleteTimelogOfIssue: deleteTimelogOfIssue(edges, timelogs),
  });
  const references = { links: issueLinks, directory: issueDirectoryWithin, changeIssue, clock };
  const { followReferences, closeOfPush } = observe('issues.references', {
    followReferences: followIssueReferences(references),
    closeOfPush: closeIssuesOfPush(references),
  });
  return {
    services: [
      issueHandler(useCases, {
        lists: edges.lists,
        externalUrl,
        clock,
        trackerLinks: trackerLinksOf(peer('groups-admin')),
      }),
      issueEventHandler(events, { externalUrl, clock }),
      issueTimelogHandler(times, externalUrl),
      issueImportHandler(imports),
    ],
    consumers: [{ group: 'collaboration.pushes', subscriptions: [pushSubscription(closeOfPush, directory)] }],
    start: () => [purgeIssues(edges.issues), keepInPriorityOrder(priorityOrderStore(db, issueOrders), directory)],
    mergeRequestFollower: issueReferenceFollower(followReferences),
    authored: authoredIssues(edges.issues),
    targets: issueTargets(useCases, { externalUrl, clock }),
    parts: {
      viewsByIds: edges.issues.viewsByIds,
      async setEpic(id, actorId, epicId) {
        const now = clock();
        await edges.issues.change(id, actorId, (locked) => editIssue(locked, { epicId }, actorId, now), {
          trees: true,
        });
      },
    },
    lists: edges.lists,
    records: {
      issues: recordWriter(
        issueRecord,
        async (target, given) => {
          const people = await importedPeople(db, target, given.flatMap(peopleIn));
          const key = { projectId: target.projectId, importedFrom: archiveSource };
          return imports.importIssues(
            key,
            given.map((one) => toImported(one, people)),
          );
        },
        (projectId, given) => imports.reserveNumbers(projectId, Math.max(0, ...given.map(({ iid }) => iid))),
      ),
      issue_events: eventWriter(db, imports.addEvents),
    },
    noteables: {
      find: issueNoteables(edges, (view) => issueUrl(view, externalUrl)),
      editor: issueEditor(useCases),
      keepCounters: keepCounters(counterStore('issue')),
    },
  };
}
