import type { PageRequest } from '@switchyard/database';
import { faultPoint, faultPoints } from '@switchyard/events';
import {
  type AskedUser,
  decideAnswer,
  decideReassignment,
  type ForeignPerson,
  type Placeholder,
  type PlaceholderOwner,
  type Requester,
  standsFirst,
} from '../domain/placeholder';
import type { AuthorPlaces, PlaceholderStore } from './placeholders.ports';

faultPoints.push('import_placeholder.decided');

/** Placeholders of an import: a forge can invent people, and each is a user of the instance. */
const maxPlaceholders = 10_000;

/** For which import people stand in. */
export interface StandInTarget {
  readonly owner: PlaceholderOwner;
  readonly projectId: number;
  readonly requestId: string;
}

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
  /** Makes who stands for somebody; undefined where the import has as many as it may have. */
  async function make(
    { owner, projectId, requestId }: StandInTarget,
    person: ForeignPerson,
    asked?: AskedUser,
  ): Promise<StandIn | undefined> {
    if (await placeholders.hasMany(owner, maxPlaceholders)) return undefined;
    const made = await places.create(projectId, person, requestId);
    await placeholders.add(owner, person, made.userId, standsFirst(asked));
    return made;
  }

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
    async standIn(target: StandInTarget, person: ForeignPerson, asked?: AskedUser): Promise<StandIn | undefined> {
      const { foreignId } = person;
      const known = (await placeholders.standIns(target.owner, [foreignId])).get(foreignId);
      return known === undefined ? make(target, person, asked) : { userId: known, directorySequence: undefined };
    },

    /**
     * Who stands for people of an archive, by their usernames. Those are left out for whom the import can have no
     * placeholder any more.
     * @param goOn called before each one is made
     */
    async standInsOf(
      target: StandInTarget,
      usernames: readonly string[],
      goOn: () => Promise<void>,
    ): Promise<{ readonly users: ReadonlyMap<string, number>; readonly directorySequence: number }> {
      const users = await placeholders.standIns(target.owner, usernames);
      let directorySequence = 0;
      for (const username of usernames) {
        if (users.has(username)) continue;
        await goOn();
        const made = await make(target, { foreignId: username, login: username, name: '' });
        if (made === undefined) break;
        users.set(username, made.userId);
        directorySequence = Math.max(directorySequence, made.directorySequence ?? 0);
      }
      return { users, directorySequence };
    },
  };
}

/** What `managePlaceholders` gives. */
export type Placeholders = ReturnType<typeof managePlaceholders>;
