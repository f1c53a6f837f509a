import { badRequest, conflict, notFound } from '@switchyard/errors';

/** What placeholders belong to. */
export interface PlaceholderOwner {
  readonly id: number;
  /** An import of an archive; else one from a forge. */
  readonly isArchive: boolean;
}

/** Somebody of a forge, or of an archive. */
export interface ForeignPerson {
  /** Id at the forge; in an archive the username. */
  readonly foreignId: string;
  readonly login: string;
  /** Empty for none. */
  readonly name: string;
}

/** A user who is asked to take the place of a placeholder, and by whom. */
export interface AskedUser {
  readonly userId: number;
  readonly byId: number;
}

/** How far the replacement of a placeholder is. */
export const placeholderStates = ['pending', 'awaiting_approval', 'reassigning', 'reassigned'] as const;

/** One of `placeholderStates`. */
export type PlaceholderState = (typeof placeholderStates)[number];

/** Somebody of a forge, or of an archive, for whom a placeholder user stands. */
export interface Placeholder {
  readonly id: number;
  readonly projectId: number;
  /** The placeholder user. */
  readonly userId: number;
  readonly foreignId: string;
  readonly login: string;
  readonly name: string;
  readonly state: PlaceholderState;
  /** Who takes its place, or is asked to. */
  readonly targetId: number | null;
  readonly requestedById: number | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly importType: string;
  /** Address of the forge; empty for the hosted one, and for an archive. */
  readonly host: string;
  /** It may still write. */
  readonly importRuns: boolean;
}

/** A role of a user in the project; of a placeholder for who takes the place. */
export interface PromisedRole {
  readonly userId: number;
  readonly level: number;
}

/**
 * Lets users into a project, each once: with no level that who imports may not give, and as the groups above admit them.
 * Direct members keep their level, also a lower one, as do those who have a higher one from a group above; nobody is
 * notified. Fails with `not_found` for a project that is gone.
 * @returns how many are its direct members now
 */
export type ImportMembers = (
  project: { readonly projectId: number; readonly directorySequence?: number },
  by: Requester,
  members: readonly PromisedRole[],
  requestId: string,
) => Promise<number>;

/** A placeholder whose place is being taken, by the process that holds its lease. */
export interface PlaceholderLease extends Placeholder {
  /** Level in the project of who takes the place; 0 for none. */
  readonly level: number;
  /** Who began the import, as they are now; 0 for one who is blocked or gone. */
  readonly importerId: number;
  readonly importerIsAdmin: boolean;
  readonly targetId: number;
  readonly lease: string;
  readonly attempt: number;
}

/** What is known of a user. */
export interface Candidate {
  readonly id: number;
  readonly active: boolean;
  readonly kind: string;
}

/** Who asks. */
export interface Requester {
  readonly userId: number;
  readonly admin: boolean;
}

/** What a decision changes. */
export interface PlaceholderChange {
  readonly state: PlaceholderState;
  readonly targetId: number | null;
  readonly requestedById: number | null;
}

/** How a placeholder stands when it is made. */
export const standsFirst = (asked: AskedUser | undefined): PlaceholderChange =>
  asked === undefined
    ? { state: 'pending', targetId: null, requestedById: null }
    : { state: 'awaiting_approval', targetId: asked.userId, requestedById: asked.byId };

/** Kinds of users who can have written something. */
const authors = new Set(['human', 'service_account']);

function requireRest({ importRuns }: Placeholder): void {
  if (importRuns) throw conflict('The import is still running, or was stopped just now');
}

/**
 * Whether a user takes the place of a placeholder, at once or when they have accepted: nobody but they themselves and
 * administrators may have them say what they did not. Fails with `not_found`, `bad_request`, `conflict`.
 */
export function decideReassignment(one: Placeholder, target: Candidate | undefined, by: Requester): PlaceholderChange {
  if (target === undefined) throw notFound('User');
  if (!target.active || !authors.has(target.kind)) throw badRequest('This user cannot take the place of a placeholder');
  requireRest(one);
  if (one.state === 'reassigning' || one.state === 'reassigned')
    throw conflict('The placeholder has been reassigned already');
  const state = target.id === by.userId || by.admin ? 'reassigning' : 'awaiting_approval';
  return { state, targetId: target.id, requestedById: by.userId };
}

/** What the answer of the user who was asked changes. Fails with `not_found` for everybody else, and with `conflict`. */
export function decideAnswer(one: Placeholder, accepts: boolean, by: Requester): PlaceholderChange {
  if (one.state !== 'awaiting_approval' || one.targetId !== by.userId || by.userId === 0) throw notFound('Placeholder');
  if (!accepts) return { state: 'pending', targetId: null, requestedById: null };
  requireRest(one);
  return { state: 'reassigning', targetId: one.targetId, requestedById: one.requestedById };
}
