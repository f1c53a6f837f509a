import { labelsOf } from '@switchyard/directory';
import type { Area } from '@switchyard/service';
import type { Contributions } from '../deleted-users';
import type { Edges } from '../edges';
import { createEpic } from './application/create-epic';
import { authoredEpics, deleteEpic, purgeEpics } from './application/delete-epic';
import type { EpicEdges } from './application/epic.ports';
import { listParticipantsOfEpic, readEpic, subscribeToEpic } from './application/read-epic';
import { updateEpic } from './application/update-epic';
import { epicList } from './storage/epic.list';
import { epicStore } from './storage/epic.store';
import { epicHandler } from './transport/epic.handler';

/** Epics, and what other areas use of them. */
export interface Epics extends Area {
  /** Epics of a user who was deleted with them. */
  readonly authored: Contributions;
}

/** Builds epics. */
export function composeEpics({ config, db, directory, peer, clock, observe }: Edges): Epics {
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  const edges: EpicEdges = {
    epics: epicStore(db),
    ensureLabels: labelsOf(peer('groups-admin'), directory, 'group'),
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
  return {
    services: [epicHandler(useCases, { lists: epicList(db), externalUrl })],
    start: () => [purgeEpics(edges.epics)],
    authored: authoredEpics(edges.epics),
  };
}
