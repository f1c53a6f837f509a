import type { Repeating } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { managePlaceholders, type Placeholders } from './application/manage-placeholders';
import { workReassignments } from './application/work-reassignments';
import { placeholderStore } from './storage/placeholder.store';
import { authorPlacesOf } from './transport/author-places.client';
import { placeholderHandler } from './transport/placeholder.handler';

/** Placeholders, and what imports use of them. */
export interface PlaceholdersArea extends Area {
  readonly standIn: Placeholders['standIn'];
  readonly standInsOf: Placeholders['standInsOf'];
  readonly promiseRoles: Placeholders['promiseRoles'];
}

/** Builds placeholder users of imported projects, and who takes their places. */
export function composePlaceholders({ db, config, peer, observe }: Edges): PlaceholdersArea {
  const placeholders = placeholderStore(db);
  const places = authorPlacesOf(peer);
  let working: Repeating | undefined;
  const useCases = observe(
    'import_placeholders',
    managePlaceholders({ placeholders, places, workSoon: () => working?.soon() }),
  );
  return {
    services: [placeholderHandler(useCases, { db, externalUrl: config.SWITCHYARD_EXTERNAL_URL })],
    standIn: useCases.standIn,
    standInsOf: useCases.standInsOf,
    promiseRoles: useCases.promiseRoles,
    start: () => {
      working = workReassignments(placeholders, places);
      return [working];
    },
  };
}
