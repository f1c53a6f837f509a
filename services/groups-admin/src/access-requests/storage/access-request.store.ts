import { type Database, listPage, type PageRequest, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { DirectoryWriter } from '../../directory';
import { type Parent, parentColumn } from '../../parents';
import type { AccessRequest, AccessRequestEnd, AccessRequestFacts, AccessRequestRow } from '../domain/access-request';
import { endAccessRequests, type StoredRequest, toRequest } from './access-request.ends';
import { publishRequested } from './access-request.events';
import { readAdmission } from './admission.sql';

const columns = sql`u.id, u.username, u.name, u.state, u.avatar_url, u.public_email, r.created_at as requested_at`;
const from = sql`access_requests r join users u on u.id = r.user_id`;
const inSource = (source: Parent) => sql`r.${parentColumn(source)} = ${source.id}`;

/** What the source itself says about requests, under its lock; undefined when there is none. */
const lockSource = (
  tx: Tx,
  { kind, id }: Parent,
): Promise<Pick<AccessRequestFacts, 'requestAccessEnabled' | 'isOpen'> | undefined> =>
  tx.one(
    kind === 'group'
      ? sql`select visibility <> 'private' as "isOpen",
          coalesce((settings ->> 'request_access_enabled')::boolean, true) as "requestAccessEnabled"
          from namespaces where id = ${id} for no key update`
      : sql`select visibility <> 'private' as "isOpen", request_access_enabled as "requestAccessEnabled"
          from projects where id = ${id} for no key update`,
  );

async function findRequest(tx: Tx, source: Parent, userId: number): Promise<AccessRequest | undefined> {
  const row = await tx.one<StoredRequest>(sql`
    select r.id, r.user_id, r.namespace_id, r.project_id from access_requests r
    where ${inSource(source)} and r.user_id = ${userId}`);
  return row && toRequest(row);
}

async function insertRequest(tx: Tx, source: Parent, userId: number): Promise<AccessRequest> {
  const row = await tx.one<StoredRequest>(sql`
    insert into access_requests (user_id, ${parentColumn(source)}) values (${userId}, ${source.id})
    returning id, user_id, namespace_id, project_id`);
  if (row === undefined) throw new Error('an access request was not inserted');
  return toRequest(row);
}

/** Access requests in the database. `tier`: licence tier of the instance. */
export const accessRequestStore = (
  db: Database,
  { transaction }: Pick<DirectoryWriter, 'transaction'>,
  tier: string,
) => ({
  list: (source: Parent, request: PageRequest) =>
    listPage<AccessRequestRow>({
      db,
      name: 'list_access_requests',
      select: columns,
      from,
      where: [inSource(source)],
      orders: { id: [{ name: 'id', expression: sql`r.id`, type: 'bigint' }] },
      request,
      count: true,
    }),

  find: (source: Parent, userId: number) =>
    db.one<AccessRequestRow>(sql`select ${columns} from ${from} where ${inSource(source)} and r.user_id = ${userId}`),

  request: (source: Parent, userId: number, check: (facts: AccessRequestFacts) => void): Promise<boolean> =>
    transaction(async (tx) => {
      const settings = await lockSource(tx, source);
      if (settings === undefined) return false;
      const request = await findRequest(tx, source, userId);
      check({ ...settings, request, admission: await readAdmission(tx, source, userId, tier) });
      publishRequested(tx, await insertRequest(tx, source, userId));
      return true;
    }),

  end: (
    { source, userId, actorId }: { readonly source: Parent; readonly userId: number; readonly actorId: number },
    decide: (facts: Pick<AccessRequestFacts, 'request'>) => AccessRequestEnd,
  ): Promise<boolean> =>
    transaction(async (tx) => {
      if ((await lockSource(tx, source)) === undefined) return false;
      const end = decide({ request: await findRequest(tx, source, userId) });
      await endAccessRequests(tx, sql`${inSource(source)} and r.user_id = ${userId}`, actorId, () => end);
      return true;
    }),
});
