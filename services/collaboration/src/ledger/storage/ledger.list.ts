import { type Database, listPage, type PageInfo, type PageRequest, type SqlExecutor } from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { type Viewer, visibleNamespaces, visibleProjects } from '@switchyard/directory';
import type { Fate, LedgerChannel, LedgerRow, NewLedgerEntry } from '../domain/ledger-entry';
import type { FoundTarget } from '../domain/wanted-target';

interface Row {
  id: number;
  created_at: Date;
  user_id: number;
  project_id: number;
  group_id: number;
  target_type: string;
  target_id: number;
  target_iid: number;
  event: string;
  channel: LedgerChannel;
  decision: NewLedgerEntry['decision'];
  rule: string;
  detail: string;
  address: string;
  fate: Fate;
  attempts: number;
  error: string;
}

/** @param tries tries after which a mail is given up: one that is dead before was refused */
const columns = (
  tries: number,
): Sql => sql`e.id, e.created_at, e.user_id, e.project_id, e.group_id, e.target_type, e.target_id, e.target_iid, e.event, e.channel,
  e.decision, e.rule, e.detail, coalesce(m.address, '') as address, coalesce(m.attempts, 0) as attempts, coalesce(m.last_error, '') as error,
  case when e.decision = 'skip' then 'not_sent' when e.channel = 'todo' then 'shown' when m.state = 'waiting' then 'queued'
    when m.state = 'dropped' then 'withheld' when m.state = 'dead' then case when m.attempts < ${tries} then 'refused' else 'given_up' end
    else 'sent' end as fate`;

const from = sql`ledger_entries e left join mails m on m.id = e.mail_id`;

const toRow = (row: Row): LedgerRow => ({
  id: row.id,
  createdAt: row.created_at,
  userId: row.user_id,
  projectId: row.project_id,
  groupId: row.group_id,
  target: { type: row.target_type, id: row.target_id, iid: row.target_iid },
  event: row.event,
  channel: row.channel,
  decision: row.decision,
  rule: row.rule,
  detail: row.detail,
  address: row.address,
  fate: row.fate,
  attempts: row.attempts,
  error: row.error,
});

/** A number stands for the id that entries have with it: what is gone has neither in its own table. */
function idOf(target: FoundTarget): Sql {
  if ('id' in target) return sql`${target.id}::bigint`;
  const place =
    'groupId' in target
      ? sql`numbered.group_id = ${target.groupId} and numbered.group_id > 0`
      : sql`numbered.project_id = ${target.projectId} and numbered.project_id > 0`;
  return sql`(select numbered.target_id from ledger_entries numbered where ${place}
    and numbered.target_type = ${target.type} and numbered.target_iid = ${target.iid} limit 1)`;
}

const isAbout = (target: FoundTarget): Sql => sql`e.target_type = ${target.type} and e.target_id = ${idOf(target)}`;

/** What the owner of an entry may see of it: that it was withheld for want of access would say that there is something. */
const ofOwner = (viewer: Viewer): Sql => sql`e.user_id = ${viewer.userId} and e.rule <> 'access'
  and (e.project_id = 0 or exists (
    select from directory.projects p join directory.namespaces n on n.id = p.namespace_id
    where p.id = e.project_id and ${visibleProjects(viewer)}))
  and (e.group_id = 0 or exists (
    select from directory.namespaces n where n.id = e.group_id and ${visibleNamespaces(viewer)}))`;

/** Entries that one explanation shows. */
const explained = 50;

/**
 * Reads the ledger of this service.
 * @param tries tries after which a mail is given up
 */
export function ledgerList(db: Database, tries: number) {
  const select = columns(tries);
  return {
    /** Entries of a user, newest first: one statement a page. */
    async own(
      viewer: Viewer,
      filter: {
        readonly target?: FoundTarget | undefined;
        readonly after?: Date | undefined;
        readonly before?: Date | undefined;
      },
      request: PageRequest,
    ): Promise<{ rows: LedgerRow[]; page: PageInfo }> {
      const { target, after, before } = filter;
      const { rows, page } = await listPage<Row>({
        db,
        name: 'list_ledger_entries',
        select,
        from,
        where: [
          ofOwner(viewer),
          ...(target === undefined ? [] : [isAbout(target)]),
          ...(after === undefined ? [] : [sql`e.created_at > ${after}`]),
          ...(before === undefined ? [] : [sql`e.created_at < ${before}`]),
        ],
        orders: { id: [{ name: 'id', expression: sql`e.id`, type: 'bigint' }] },
        request,
        count: false,
      });
      return { rows: rows.map(toRow), page };
    },

    /** Entries of a project before a place, newest first. */
    async ofProject(
      projectId: number,
      {
        target,
        before,
        limit,
      }: {
        readonly target: FoundTarget | undefined;
        readonly before: { readonly at: Date; readonly id: number } | undefined;
        readonly limit: number;
      },
    ): Promise<LedgerRow[]> {
      const where = [
        sql`e.project_id = ${projectId} and e.project_id > 0`,
        ...(target === undefined ? [] : [isAbout(target)]),
        ...(before === undefined
          ? []
          : [sql`(e.created_at, e.id) < (${before.at}::timestamptz, ${before.id}::bigint)`]),
      ];
      const rows = await db.query<Row>(sql`
      select ${select} from ${from} where ${join(where, ' and ')} order by e.created_at desc, e.id desc limit ${limit}`);
      return rows.map(toRow);
    },

    /** The newest entries of a user about a target. @param viewer the user, for whom it is read; undefined: for others */
    async about(userId: number, target: FoundTarget, viewer: Viewer | undefined): Promise<LedgerRow[]> {
      const rows = await db.query<Row>(sql`
      select ${select} from ${from} where ${viewer === undefined ? sql`e.user_id = ${userId}` : ofOwner(viewer)} and ${isAbout(target)}
      order by e.id desc limit ${explained}`);
      return rows.map(toRow);
    },
  };
}

/** Forgets up to `limit` entries of more than 30 days ago. Returns how many. */
export async function forgetEntries(db: SqlExecutor, limit: number): Promise<number> {
  const rows = await db.query(sql`
    delete from ledger_entries where id in (
      select id from ledger_entries where created_at < now() - interval '30 days' order by created_at limit ${limit}) returning 1`);
  return rows.length;
}
