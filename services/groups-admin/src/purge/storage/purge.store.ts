import type { Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { endAccessRequestsIn } from '../../access-requests';
import { type DirectoryTx, purgeBegun } from '../../directory';
import { groupStates } from '../../groups';
import { issuableCounts } from '../../issuable-counts';
import type { Membership } from '../../members';
import { type Share, shareColumns } from '../../shares';
import { forgetDeployKeys } from '../../ssh-keys';
import type { Contents, ProjectState } from '../domain/contents';

const ids = async (tx: Tx, query: Sql): Promise<number[]> =>
  (await tx.query<{ id: number }>(query)).map(({ id }) => id);

const due = (delayDays: number): Sql =>
  sql`marked_for_deletion_at > ${purgeBegun} and marked_for_deletion_at <= now() - ${delayDays} * interval '1 day'`;

const dueTrees = sql`array(select id from namespaces where marked_for_deletion_at = ${purgeBegun})`;

const inside = async (tx: Tx, where: Sql, sharesWhere: Sql): Promise<Contents> => ({
  memberships: await tx.query<Membership>(
    sql`select id, user_id, namespace_id, project_id, access_level, version, false as expired from memberships where ${where} order by id`,
  ),
  shares: await tx.query<Share>(sql`select ${shareColumns} from group_shares s where ${sharesWhere} order by s.id`),
  labels: await ids(tx, sql`select id from labels where ${where} order by id`),
  milestones: await ids(tx, sql`select id from milestones where ${where} order by id`),
});

const idsOf = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id);

/** Deletes what lies in projects or namespaces, which are locked, so that nothing comes in. */
const clear = async (tx: DirectoryTx, { memberships, shares, labels, milestones }: Contents): Promise<void> => {
  await tx.erase('membership', idsOf(memberships));
  await tx.erase('share', idsOf(shares));
  await tx.erase('label', labels, () =>
    tx.writeHidden(sql`delete from label_priorities where label_id = any(${labels}::bigint[])`),
  );
  await tx.erase('milestone', milestones);
};

/** What the purge reads and deletes; several replicas may purge at once and take different rows. */
export const purgeStore = () => ({
  /**
   * Begins the purge of what is due: from now on no one restores it, so that a purge that stops half-way leaves nothing
   * half-made.
   */
  async begin(tx: DirectoryTx, delayDays: number): Promise<void> {
    for (const table of [sql`namespaces`, sql`projects`]) {
      await tx.writeHidden(sql`update ${table} set marked_for_deletion_at = ${purgeBegun} where id in (
        select id from ${table} where ${due(delayDays)} order by id for no key update skip locked)`);
    }
  },

  /** Locks projects whose purge has begun: their own, or that of a namespace above. */
  dueProjects: (tx: Tx, limit: number): Promise<number[]> =>
    ids(
      tx,
      sql`select p.id from projects p join namespaces n on n.id = p.namespace_id
        where p.marked_for_deletion_at = ${purgeBegun} or n.ancestry && ${dueTrees} order by p.id limit ${limit} for update of p skip locked`,
    ),

  /** Removes the relations of forks to projects whose purge has begun; returns of how many forks. */
  async unlinkForks(tx: DirectoryTx, limit: number): Promise<number> {
    const unlinked = await tx.write(
      'project',
      sql`update projects set forked_from_project_id = null where id in (
        select f.id from projects f join projects p on p.id = f.forked_from_project_id join namespaces n on n.id = p.namespace_id
        where p.marked_for_deletion_at = ${purgeBegun} or n.ancestry && ${dueTrees}
        order by f.id limit ${limit} for no key update of f) returning id`,
    );
    return unlinked.length;
  },

  /** Locks namespaces whose purge has begun and that hold nothing any more, deepest first. */
  dueNamespaces: (tx: Tx, limit: number): Promise<number[]> =>
    ids(
      tx,
      sql`select n.id from namespaces n where n.ancestry && ${dueTrees}
        and not exists (select from namespaces c where c.parent_id = n.id)
        and not exists (select from projects p where p.namespace_id = n.id)
        order by n.id limit ${limit} for update skip locked`,
    ),

  groupStates,

  async projectStates(tx: Tx, projects: readonly number[]): Promise<ReadonlyMap<number, ProjectState>> {
    const rows = await tx.query<ProjectState & { id: number }>(sql`
      select p.id, p.name, p.path, n.full_path || '/' || p.path as "fullPath", p.visibility, p.namespace_id as "namespaceId",
        n.kind = 'group' as "inGroup", coalesce(p.creator_id, 0) as "creatorId"
      from projects p join namespaces n on n.id = p.namespace_id where p.id = any(${[...projects]}::bigint[])`);
    return new Map(rows.map(({ id, ...state }) => [id, state]));
  },

  inProjects: (tx: Tx, projects: readonly number[]): Promise<Contents> =>
    inside(tx, sql`project_id = any(${[...projects]}::bigint[])`, sql`s.project_id = any(${[...projects]}::bigint[])`),

  inNamespaces(tx: Tx, namespaces: readonly number[]): Promise<Contents> {
    const gone = sql`any(${[...namespaces]}::bigint[])`;
    return inside(tx, sql`namespace_id = ${gone}`, sql`(s.namespace_id = ${gone} or s.group_id = ${gone})`);
  },

  /** Deletes locked projects with what lies in them. */
  async deleteProjects(tx: DirectoryTx, projects: readonly number[], inside: Contents): Promise<void> {
    const list = sql`${[...projects]}::bigint[]`;
    await clear(tx, inside);
    await endAccessRequestsIn(tx, 'project', projects);
    await tx.erase('project', projects, async () => {
      // Ranks that the projects gave to labels of their groups.
      await tx.writeHidden(sql`delete from label_priorities where project_id = any(${list})`);
      // Of forks that were made after the others had been unlinked.
      await tx.write(
        'project',
        sql`update projects set forked_from_project_id = null
          where forked_from_project_id = any(${list}) and id <> all(${list}) returning id`,
      );
      await issuableCounts.forgetProjects(tx, projects);
      await forgetDeployKeys(tx, projects);
      await tx.query(sql`delete from variables where project_id = any(${list})`);
      await tx.query(sql`delete from redirect_routes where project_id = any(${list})`);
      await tx.query(sql`delete from project_stars where project_id = any(${list})`);
      await tx.query(sql`delete from iid_counters where parent_kind = 'project' and parent_id = any(${list})`);
    });
  },

  /** Deletes locked namespaces, which hold no project and no group, with what lies in them. */
  async deleteNamespaces(tx: DirectoryTx, namespaces: readonly number[], inside: Contents): Promise<void> {
    const list = sql`${[...namespaces]}::bigint[]`;
    await clear(tx, inside);
    await endAccessRequestsIn(tx, 'group', namespaces);
    await tx.erase('namespace', namespaces, async () => {
      await tx.query(sql`delete from variables where namespace_id = any(${list})`);
      await tx.query(sql`delete from redirect_routes where namespace_id = any(${list})`);
      await tx.query(sql`delete from iid_counters where parent_kind = 'group' and parent_id = any(${list})`);
    });
  },
});
