import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import type { Parent } from '../../parents';
import {
  type AccessRequestActor,
  type AccessRequestEnd,
  type AccessRequestFacts,
  type AccessRequestRow,
  decideEnd,
  requireMayRequest,
} from '../domain/access-request';

/** Access requests in the database; each change is one transaction with its event. */
export interface AccessRequestStore {
  /** A page of pending requests, oldest first: one statement and one count. */
  list(source: Parent, request: PageRequest): Promise<{ rows: AccessRequestRow[]; page: PageInfo }>;
  /** The pending request of a user. */
  find(source: Parent, userId: number): Promise<AccessRequestRow | undefined>;
  /**
   * Locks the source, checks and inserts a request of the user. False when there is no such source.
   * @throws AppError what `check` throws
   */
  request(source: Parent, userId: number, check: (facts: AccessRequestFacts) => void): Promise<boolean>;
  /**
   * Locks the source, decides and ends the request of a user. False when there is no such source.
   * @throws AppError what `decide` throws
   */
  end(
    request: { readonly source: Parent; readonly userId: number; readonly actorId: number },
    decide: (facts: Pick<AccessRequestFacts, 'request'>) => AccessRequestEnd,
  ): Promise<boolean>;
}

const sourceNotFound = ({ kind }: Parent) => notFound(kind === 'group' ? 'Group' : 'Project');

/** Access requests of groups and projects. */
export const manageAccessRequests = (requests: AccessRequestStore) => ({
  /** A page of pending requests, oldest first. */
  list: (source: Parent, request: PageRequest): Promise<{ rows: AccessRequestRow[]; page: PageInfo }> =>
    requests.list(source, request),

  /**
   * Requests access for the actor.
   * @throws AppError not_found, forbidden, invalid
   */
  async request(actor: AccessRequestActor, source: Parent): Promise<AccessRequestRow> {
    const found = await requests.request(source, actor.userId, (facts) => requireMayRequest(actor, source, facts));
    const row = found ? await requests.find(source, actor.userId) : undefined;
    if (row === undefined) throw sourceNotFound(source);
    return row;
  },

  /**
   * Denies a request, or withdraws the actor's own.
   * @throws AppError not_found, forbidden
   */
  async end(actor: AccessRequestActor, source: Parent, userId: number): Promise<void> {
    const found = await requests.end({ source, userId, actorId: actor.userId }, ({ request }) =>
      decideEnd(actor, userId, { source, request }),
    );
    if (!found) throw sourceNotFound(source);
  },
});

/** What `manageAccessRequests` gives. */
export type ManageAccessRequests = ReturnType<typeof manageAccessRequests>;
