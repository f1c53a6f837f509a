import type { PageRequest } from '@switchyard/database';
import { faultPoint, faultPoints } from '@switchyard/events';
import {
  type AskedUser,
  decideAnswer,
  decideReassignment,
  type ForeignPerson,
  type Placeholder,
  type Requester,
  standsFirst,
} from '../domain/placeholder';
import type { AuthorPlaces, PlaceholderStore } from './placeholders.ports';

faultPoints.push('import_placeholder.decided');

/** Placeholders of an import: a forge can invent people, and each is a user of the instance. */
const maxPlaceholders = 10_000;

/** Who stands for somebody, and the directory sequence at which they are known; undefined for one who was known before. */
export interface StandIn {
  readonly userId: number;
  readonly directorySequence: number | undefined;
}

/** The use cases of placeholders; the gateway has checked that the caller may ask for them. */
export function managePlaceholders({
  placeholders,
  places,
  workSoon,
}: {
  readonly placeholders: PlaceholderStore;
  readonly places: Pick<AuthorPlaces, 'create'>;
  /** Has what was decided worked on soon. */
  readonly workSoon: () => void;
}) {
  const decided = (one: Placeholder): Placeholder => {
    faultPoint('import_placeholder.decided');
    if (one.state === 'reassigning') workSoon();
    return one;
  };
  return {
    list: (projectId: number, state: string | undefined, request: PageRequest) =>
      placeholders.list(projectId, state, request),

    /** Puts a user in the place of a placeholder, or asks them. Fails with `not_found`, `bad_request`, `conflict`. */
    async reassign(projectId: number, id: number, userId: number, by: Requester): Promise<Placeholder> {
      const target = await placeholders.candidate(userId);
      return decided(await placeholders.change(projectId, id, (one) => decideReassignment(one, target, by)));
    },

    /** The answer of the user who was asked. Fails with `not_found`, `conflict`. */
    answer: async (projectId: number, id: number, accepts: boolean, by: Requester): Promise<Placeholder> =>
      decided(await placeholders.change(projectId, id, (one) => decideAnswer(one, accepts, by))),

    promiseRoles: placeholders.promiseRoles,

    /**
     * Who stands for a person of a forge in what an import brings over; a placeholder is made where nobody does, and the
     * user who seems to be the person is asked to take its place. Undefined where the import has as many as it may have.
     */
    async standIn(
      { importId, projectId, requestId }: { importId: number; projectId: number; requestId: string },
      person: ForeignPerson,
      asked?: AskedUser,
    ): Promise<StandIn | undefined> {
      const known = await placeholders.standIn(importId, person.foreignId);
      if (known !== undefined) return { userId: known, directorySequence: undefined };
      if (await placeholders.hasMany(importId, maxPlaceholders)) return undefined;
      const made = await places.create(projectId, person, requestId);
      await placeholders.add(importId, person, made.userId, standsFirst(asked));
      return made;
    },
  };
}

/** What `managePlaceholders` gives. */
export type Placeholders = ReturnType<typeof managePlaceholders>;
