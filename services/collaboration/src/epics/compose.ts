import { labelsOf, writtenNames } from '@switchyard/directory';
import type { Area } from '@switchyard/service';
import { commandSteps } from '@switchyard/texts';
import type { Contributions } from '../deleted-users';
import type { Edges } from '../edges';
import { counterStore, type IssueList, type Issues, keepCounters } from '../issues';
import type { KeepCounters, NoteableEditor, NoteableResolver } from '../noteables';
import {
  assignChildEpic,
  createChildEpic,
  listChildEpics,
  moveChildEpic,
  readEpicProgress,
  removeChildEpic,
} from './application/child-epics';
import { createEpic } from './application/create-epic';
import { authoredEpics, deleteEpic, purgeEpics } from './application/delete-epic';
import type { EpicEdges } from './application/epic.ports';
import { assignEpicIssue, listEpicIssues, moveEpicIssue, removeEpicIssue } from './application/epic-issues';
import { epicEditor, epicNoteables } from './application/epic-noteables';
import { listParticipantsOfEpic, readEpic, subscribeToEpic } from './application/read-epic';
import { linkRelatedEpic, listRelatedEpics, unlinkRelatedEpic } from './application/related-epics';
import { updateEpic } from './application/update-epic';
import { epicUrl } from './presenters/epic.presenter';
import { epicList } from './storage/epic.list';
import { epicStore } from './storage/epic.store';
import { epicTreeStore } from './storage/epic-tree.store';
import { relatedEpicStore } from './storage/related-epic.store';
import { epicHandler } from './transport/epic.handler';
import { type EpicTargets, epicTargets } from './transport/epic-targets';
import { epicTreeHandler } from './transport/epic-tree.handler';

/** Epics, and what other areas use of them. */
export interface Epics extends Area {
  /** Epics of a user who was deleted with them. */
  readonly authored: Contributions;
  /** Epics as what to-dos point at. */
  readonly targets: EpicTargets;
  /** Epics as what carries notes. */
  readonly noteables: {
    readonly find: NoteableResolver<'Epic'>;
    readonly editor: NoteableEditor;
    readonly keepCounters: KeepCounters;
  };
}

/** Builds epics. */
export function composeEpics(
  { config, db, directory, peer, clock, observe }: Edges,
  { issues, lists }: { readonly issues: Issues['parts']; readonly lists: Pick<IssueList, 'page'> },
): Epics {
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  const edges: EpicEdges = {
    epics: epicStore(db),
    trees: epicTreeStore(db),
    ensureLabels: labelsOf(peer('groups-admin'), directory, 'group'),
    commandSteps: commandSteps({ names: writtenNames(db), clock }),
    clock,
  };
  const useCases = observe('epics', {
    readEpic: readEpic(edges),
    createEpic: createEpic(edges),
    updateEpic: updateEpic(edges),
    deleteEpic: deleteEpic(edges),
    subscribeToEpic: subscribeToEpic(edges),
    listParticipantsOfEpic: listParticipantsOfEpic(edges),
  });
  const relating = { ...edges, related: relatedEpicStore(db) };
  const linking = { ...edges, issues, lists };
  const trees = observe('epics.trees', {
    listEpicIssues: listEpicIssues(linking),
    assignEpicIssue: assignEpicIssue(linking),
    removeEpicIssue: removeEpicIssue(linking),
    moveEpicIssue: moveEpicIssue(linking),
    listChildEpics: listChildEpics(edges),
    assignChildEpic: assignChildEpic(edges),
    createChildEpic: createChildEpic(edges, useCases.createEpic),
    removeChildEpic: removeChildEpic(edges),
    moveChildEpic: moveChildEpic(edges),
    readEpicProgress: readEpicProgress(edges),
    listRelatedEpics: listRelatedEpics(relating),
    linkRelatedEpic: linkRelatedEpic(relating),
    unlinkRelatedEpic: unlinkRelatedEpic(relating),
  });
  return {
    services: [
      epicHandler(useCases, { lists: epicList(db), externalUrl }),
      epicTreeHandler(trees, { externalUrl, clock }),
    ],
    start: () => [purgeEpics(edges.epics)],
    authored: authoredEpics(edges.epics),
    targets: epicTargets(edges.epics, externalUrl),
    noteables: {
      find: epicNoteables(edges, (view) => epicUrl(view, externalUrl)),
      editor: epicEditor(edges, { ...useCases, ...trees }),
      keepCounters: keepCounters(counterStore('epic')),
    },
  };
}
