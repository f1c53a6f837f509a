import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  byDefault,
  type DuplicatedFormat,
  type Duplicates,
  type DuplicatesChange,
  type DuplicatesOfFormats,
} from '../domain/duplicates';

/** The nearest group that says something decides: its own namespace, and then each one above. */
const nearestFirst = sql`array_position(n.ancestry, r.group_id) desc`;

/** Opens the store. */
export const duplicatesStore = (db: Database) => ({
  async ofGroup(groupId: number): Promise<DuplicatesOfFormats> {
    const rows = await db.query<Duplicates & { format: DuplicatedFormat }>(sql`
      select distinct on (r.format) r.format, r.allowed, r.exceptions
      from directory.namespaces n join package_duplicate_rules r on r.group_id = any(n.ancestry)
      where n.id = ${groupId} order by r.format, ${nearestFirst}`);
    const said = new Map(rows.map(({ format, ...rule }) => [format, rule]));
    const of = (format: DuplicatedFormat): Duplicates => said.get(format) ?? byDefault;
    return { generic: of('generic'), maven: of('maven') };
  },

  async ofProject(reading: SqlExecutor, projectId: number, format: DuplicatedFormat): Promise<Duplicates> {
    const [row] = await reading.query<Duplicates>(sql`
      select r.allowed, r.exceptions
      from directory.projects p join directory.namespaces n on n.id = p.namespace_id
      join package_duplicate_rules r on r.group_id = any(n.ancestry) and r.format = ${format}
      where p.id = ${projectId} order by ${nearestFirst} limit 1`);
    return row ?? byDefault;
  },

  async change(tx: Tx, groupId: number, { format, allowed, exceptions }: DuplicatesChange): Promise<void> {
    await tx.query(sql`
      insert into package_duplicate_rules as own (group_id, format, allowed, exceptions)
      select ${groupId}, ${format}, coalesce(${allowed ?? null}::boolean, above.allowed, ${byDefault.allowed}),
        coalesce(${exceptions ?? null}::text, above.exceptions, ${byDefault.exceptions})
      from (values (1)) as one left join lateral (
        select r.allowed, r.exceptions
        from directory.namespaces n join package_duplicate_rules r on r.group_id = any(n.ancestry) and r.format = ${format}
        where n.id = ${groupId} order by ${nearestFirst} limit 1) as above on true
      on conflict (group_id, format) do update set updated_at = now(),
        allowed = coalesce(${allowed ?? null}::boolean, own.allowed),
        exceptions = coalesce(${exceptions ?? null}::text, own.exceptions)`);
  },
});
