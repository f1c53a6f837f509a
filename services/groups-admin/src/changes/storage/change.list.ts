import type { Database } from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import type { FeedScope, ListedChange, PrintedChange, Stretch } from '../domain/feed';

type StretchRow = { head: number; pruned_through: number } & { [K in keyof ListedChange]: ListedChange[K] | null };

const audience: Sql = sql`c.position, c.confidential, coalesce(c.project_id, 0) as "projectId",
  coalesce(c.group_id, 0) as "groupId", c.author_id as "authorId", c.audience_ids as "audienceIds", c.feature,
  c.least_level as "leastLevel"`;

/** The changes of a scope after a position, by the one index that has both. */
const inScope = ({ kind, id }: FeedScope, after: Sql, limit: number): Sql =>
  kind === 'project'
    ? sql`select ${audience} from changes c where c.project_id = ${id}::bigint and c.position > ${after}
        and c.position <= k.last order by c.position limit ${limit}::int`
    : sql`select ${audience} from (
          select g.position from change_groups g where g.group_id = ${id}::bigint and g.position > ${after}
            and g.position <= k.last order by g.position limit ${limit}::int) as listed
        join changes c on c.position = listed.position order by c.position`;

/** Reads of the feed: a page is read by position, so that its cost does not grow with what is kept. */
export const changeList = (db: Database) => ({
  async stretch(scope: FeedScope, after: number | undefined, limit: number): Promise<Stretch> {
    // Without a start the feed begins with the oldest change that is kept.
    const start = after === undefined ? sql`k.pruned_through` : sql`${after}::bigint`;
    const rows = await db.query<StretchRow>(
      named(
        `change_stretch_${scope.kind}_${after === undefined ? 'first' : 'after'}`,
        sql`select k.last as head, k.pruned_through, found.* from change_counter k
          left join lateral (${inScope(scope, start, limit)}) as found on true order by found.position`,
      ),
    );
    const [{ head, pruned_through: prunedThrough } = { head: 0, pruned_through: 0 }] = rows;
    const changes = rows.filter((row) => row.position !== null) as unknown as ListedChange[];
    return { head, prunedThrough, changes };
  },

  async head(): Promise<number> {
    const row = await db.one<{ last: number }>(named('change_head', sql`select last from change_counter`));
    return row?.last ?? 0;
  },

  bodies: (positions: readonly number[]): Promise<PrintedChange[]> =>
    positions.length === 0
      ? Promise.resolve([])
      : db.query<PrintedChange>(
          named(
            'change_bodies',
            sql`select position, kind, action, coalesce(project_id, 0) as "projectId", coalesce(group_id, 0) as "groupId",
              object_key as "objectKey", actor_id as "actorId", occurred_at as "occurredAt", body, event_id as "eventId"
              from changes where position = any(${[...positions]}::bigint[]) order by position`,
          ),
        ),
});
