import type { Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import type { DirectoryTx } from '../../directory';
import { issuableCounts } from '../../issuable-counts';
import type { Membership } from '../../members';
import type { Contents } from '../domain/contents';

const ids = async (tx: Tx, query: Sql): Promise<number[]> =>
  (await tx.query<{ id: number }>(query)).map(({ id }) => id);

const due = (delayDays: number): Sql => sql`marked_for_deletion_at <= now() - ${delayDays} * interval '1 day'`;

const dueProject = (delayDays: number): Sql => sql`p.marked_for_deletion_at <= now() - ${delayDays} * interval '1 day'`;

const dueTrees = (delayDays: number): Sql => sql`array(select id from namespaces where ${due(delayDays)})`;

const inside = async (tx: Tx, where: Sql): Promise<Contents> => ({
  memberships: await tx.query<Membership>(
    sql`select id, user_id, namespace_id, project_id, access_level, version, false as expired from memberships where ${where} order by id`,
  ),
  labels: await ids(tx, sql`select id from labels where ${where} order by id`),
  milestones: await ids(tx, sql`select id from milestones where ${where} order by id`),
});

const idsOf = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id);

/** Deletes what lies in projects or namespaces, which are locked, so that nothing comes in. */
const clear = async (tx: DirectoryTx, { memberships, labels, milestones }: Contents): Promise<void> => {
  await tx.erase('membership', idsOf(memberships));
  await tx.erase('label', labels, () =>
    tx.writeHidden(sql`delete from label_priorities where label_id = any(${labels}::bigint[])`),
  );
  await tx.erase('milestone', milestones);
};

/** What the purge reads and deletes; several replicas may purge at once and take different rows. */
export const purgeStore = () => ({
  /** Locks due projects: marked themselves, or below a marked namespace. */
  dueProjects: (tx: Tx, delayDays: number, limit: number): Promise<number[]> =>
    ids(
      tx,
      sql`select p.id from projects p join namespaces n on n.id = p.namespace_id
        where (${dueProject(delayDays)}) or n.ancestry && ${dueTrees(delayDays)} order by p.id limit ${limit} for update of p skip locked`,
    ),

  /** Locks due namespaces that hold nothing any more, deepest first. */
  dueNamespaces: (tx: Tx, delayDays: number, limit: number): Promise<number[]> =>
    ids(
      tx,
      sql`select n.id from namespaces n where n.ancestry && ${dueTrees(delayDays)}
        and not exists (select from namespaces c where c.parent_id = n.id)
        and not exists (select from projects p where p.namespace_id = n.id)
        order by n.id limit ${limit} for update skip locked`,
    ),

  inProjects: (tx: Tx, projects: readonly number[]): Promise<Contents> =>
    inside(tx, sql`project_id = any(${[...projects]}::bigint[])`),

  inNamespaces: (tx: Tx, namespaces: readonly number[]): Promise<Contents> =>
    inside(tx, sql`namespace_id = any(${[...namespaces]}::bigint[])`),

  /** Deletes locked projects with what lies in them. */
  async deleteProjects(tx: DirectoryTx, projects: readonly number[], inside: Contents): Promise<void> {
    const list = sql`${[...projects]}::bigint[]`;
    await clear(tx, inside);
    await tx.erase('project', projects, async () => {
      // Ranks that the projects gave to labels of their groups.
      await tx.writeHidden(sql`delete from label_priorities where project_id = any(${list})`);
      await issuableCounts.forgetProjects(tx, projects);
      await tx.query(sql`delete from redirect_routes where project_id = any(${list})`);
      await tx.query(sql`delete from project_stars where project_id = any(${list})`);
      await tx.query(sql`delete from iid_counters where parent_kind = 'project' and parent_id = any(${list})`);
    });
  },

  /** Deletes locked namespaces, which hold no project and no group, with what lies in them. */
  async deleteNamespaces(tx: DirectoryTx, namespaces: readonly number[], inside: Contents): Promise<void> {
    const list = sql`${[...namespaces]}::bigint[]`;
    await clear(tx, inside);
    await tx.erase('namespace', namespaces, async () => {
      await tx.query(sql`delete from redirect_routes where namespace_id = any(${list})`);
      await tx.query(sql`delete from iid_counters where parent_kind = 'group' and parent_id = any(${list})`);
    });
  },
});
