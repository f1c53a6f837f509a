import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Parent } from '../../parents';
import type { MemberChangeRequest, MemberDecision, MemberFacts } from '../domain/member-change';
import type { MemberFilter, MemberRow, UserMembershipRow } from '../domain/member-row';

/** Memberships in the database; each change is one transaction with its events and directory changes. */
export interface MemberStore {
  /** A page of members by user id. */
  list(source: Parent, filter: MemberFilter, request: PageRequest): Promise<{ rows: MemberRow[]; page: PageInfo }>;
  /** A page of the direct memberships of a user, oldest first; undefined when there is no such user. */
  ofUser(
    userId: number,
    type: UserMembershipRow['source_type'] | undefined,
    request: PageRequest,
  ): Promise<{ rows: UserMembershipRow[]; page: PageInfo } | undefined>;
  /** One member, with `all` also from the groups above; undefined when the user is none. */
  find(source: Parent, userId: number, all: boolean): Promise<MemberRow | undefined>;
  /** Users by id or username, in any case, without those of the instance itself. */
  usersBy(given: { ids: readonly number[]; usernames: readonly string[] }): Promise<{ id: number; username: string }[]>;
  /**
   * Locks the source, so that changes of its members follow one another. Then decides and saves for one user after the
   * other: a decision sees what the ones before it have saved. False when there is no such source.
   * @param decide `index` is that of the user in the request; undefined changes nothing
   * @throws AppError what `decide` throws
   */
  change(
    request: MemberChangeRequest,
    decide: (facts: MemberFacts, index: number) => MemberDecision | undefined,
  ): Promise<boolean>;
  /** Removes memberships that have expired, oldest first; returns how many. */
  expire(limit: number): Promise<number>;
}
