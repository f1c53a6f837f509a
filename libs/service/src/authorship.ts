import type { Database, Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { AuthorshipServiceService, type ReassignRequest } from '@switchyard/protos/rpc/v1/authorship';
import { implement } from '@switchyard/rpc';
import type { Area } from './area';

/** Rows of one place that one call changes: transactions of milliseconds. */
const rowsAtOnce = 500;

/** Where users stand in what a service keeps. */
export interface AuthoredPlace {
  readonly table: Sql;
  /** Column of the user. */
  readonly user: Sql;
  /** Whether a row `t` of the table belongs to a project. */
  readonly ofProject: (projectId: number) => Sql;
  /** Column with which a user stands once, where there is one: an assignee of an issue. */
  readonly once?: Sql;
}

// The rows are locked first, so that they still lie where they were found.
async function replace(
  tx: Tx,
  { table, user, ofProject, once }: AuthoredPlace,
  { projectId, fromUserId, toUserId }: ReassignRequest,
): Promise<number> {
  const found = await tx.query<{ place: string }>(sql`
    select t.ctid::text as place from ${table} t where t.${user} = ${fromUserId}::bigint and ${ofProject(projectId)}
    limit ${rowsAtOnce} for no key update of t`);
  if (found.length === 0) return 0;
  const places = sql`any(${found.map(({ place }) => place)}::tid[])`;
  if (once !== undefined)
    await tx.query(sql`
      delete from ${table} t where t.ctid = ${places} and exists (
        select from ${table} other where other.${once} = t.${once} and other.${user} = ${toUserId}::bigint)`);
  await tx.query(sql`update ${table} t set ${user} = ${toUserId}::bigint where t.ctid = ${places}`);
  return found.length;
}

/** Puts a user in the place of another one in a bounded part of what a project has of them; it may be repeated. */
export async function reassign(db: Database, places: readonly AuthoredPlace[], request: ReassignRequest) {
  const counts: number[] = [];
  for (const place of places) counts.push(await db.transaction((tx) => replace(tx, place, request)));
  return { changed: counts.reduce((sum, one) => sum + one, 0), more: counts.includes(rowsAtOnce) };
}

/** Serves how a placeholder user is replaced in what a service keeps (ADR 67). */
export function authorship(db: Database, places: readonly AuthoredPlace[]): Area {
  const services = [
    implement(
      AuthorshipServiceService,
      { reassign: (request) => reassign(db, places, request) },
      { reassign: { callers: ['imports-exports'] } },
    ),
  ];
  return { services };
}
