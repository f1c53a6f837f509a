import { type Sql, sql } from '@switchyard/database/sql';
import type { DirectoryTx } from '../../directory';
import type { Parent } from '../../parents';
import type { AccessRequest, AccessRequestEnd } from '../domain/access-request';
import { publishEnded } from './access-request.events';

/** A row of `access_requests`. */
export interface StoredRequest {
  readonly id: number;
  readonly user_id: number;
  readonly namespace_id: number | null;
  readonly project_id: number | null;
}

/** A stored request as rules use it. */
export const toRequest = ({ id, user_id, namespace_id, project_id }: StoredRequest): AccessRequest => ({
  id,
  userId: user_id,
  source: namespace_id === null ? { kind: 'project', id: project_id ?? 0 } : { kind: 'group', id: namespace_id },
});

/** Deletes requests, and publishes for each how it ended. */
export async function endAccessRequests(
  tx: DirectoryTx,
  where: Sql,
  actorId: number,
  endOf: (request: AccessRequest) => AccessRequestEnd,
): Promise<void> {
  const rows = await tx.query<StoredRequest>(
    sql`delete from access_requests r where ${where} returning r.id, r.user_id, r.namespace_id, r.project_id`,
  );
  const ended = rows.map(toRequest).map((request) => ({ request, end: endOf(request) }));
  publishEnded(tx, ended, actorId);
}

/** Ends the requests of a user who became a member of `source`: there, and in all that lies below a group. */
export function endByMembership(
  tx: DirectoryTx,
  source: Parent,
  member: { readonly userId: number; readonly level: number },
  actorId: number,
): Promise<void> {
  const inReach =
    source.kind === 'project'
      ? sql`r.project_id = ${source.id}`
      : sql`exists (
          select from namespaces n where n.ancestry @> array[${source.id}::bigint]
          and n.id = coalesce(r.namespace_id, (select p.namespace_id from projects p where p.id = r.project_id)))`;
  return endAccessRequests(tx, sql`r.user_id = ${member.userId} and ${inReach}`, actorId, (request) =>
    request.source.kind === source.kind && request.source.id === source.id
      ? { kind: 'approved', level: member.level }
      : { kind: 'lapsed', reason: 'became_member' },
  );
}

/** Ends the requests of a user who is deleted. */
export const endAccessRequestsOfUser = (tx: DirectoryTx, userId: number): Promise<void> =>
  endAccessRequests(tx, sql`r.user_id = ${userId}`, 0, () => ({ kind: 'lapsed', reason: 'user_deleted' }));

/** Ends the requests in groups or projects that are purged. */
export const endAccessRequestsIn = (tx: DirectoryTx, kind: Parent['kind'], ids: readonly number[]): Promise<void> =>
  endAccessRequests(
    tx,
    kind === 'group'
      ? sql`r.namespace_id = any(${[...ids]}::bigint[])`
      : sql`r.project_id = any(${[...ids]}::bigint[])`,
    0,
    () => ({ kind: 'lapsed', reason: 'parent_deleted' }),
  );
