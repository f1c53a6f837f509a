import { type Database, isUniqueViolation, type PageRequest, requireUnmodified, type Tx } from '@switchyard/database';
import { join, named, raw, type Sql, sql } from '@switchyard/database/sql';
import { invalid } from '@switchyard/errors';
import { type StoredAvatar, setAvatar } from '../../avatars';
import { type DirectoryTx, type DirectoryWriter, isUserNamed, purgeBegun, type Viewer } from '../../directory';
import type { Owners } from '../../members';
import { taken } from '../../rules';
import { assignTopics } from '../../topics';
import type { ProjectChange } from '../domain/project';
import type { ProjectChangeRequest, ProjectCreation, ProjectDecision, ProjectFacts } from '../domain/project-change';
import type { LockedProject, ProjectExtras, ProjectFilter, ProjectRow, PushRecord } from '../domain/project-row';
import { noExtras, projectColumns, projectColumnsWith, projectFrom } from './project.columns';
import { type ProjectFact, publishProjectChanged, publishProjectCreated } from './project.events';
import { listProjects } from './project.list';
import { conflictsIn, insertProject, lockNamespace, noConflicts } from './project.rows';

const changedColumns = ({ topics: _, ...change }: ProjectChange): Sql[] =>
  Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => {
      if (!/^[a-z_]+$/.test(column)) throw new Error(`not a column: ${column}`);
      return column === 'feature_access_levels'
        ? sql`feature_access_levels = feature_access_levels || ${JSON.stringify(value)}::jsonb`
        : sql`${raw(column)} = ${value as string}`;
    });

/** Locks a project; undefined when it was purged, or its purge has begun. */
const lockProject = (tx: Tx, id: number): Promise<LockedProject | undefined> =>
  tx.one(sql`
    select p.namespace_id, p.name, p.path, p.visibility, n.full_path || '/' || p.path as full_path,
      p.marked_for_deletion_at, (select top.tier from namespaces top where top.id = n.ancestry[1]) as tier,
      (select s.visibility from projects s where s.id = p.forked_from_project_id) as source_visibility
    from projects p join namespaces n on n.id = p.namespace_id
    where p.id = ${id} and p.marked_for_deletion_at is distinct from ${purgeBegun} for no key update of p`);

/** Keeps the full path of a project as a redirect (G-1-7). */
const keepRedirect = (tx: Tx, id: number): Promise<unknown> =>
  tx.query(sql`
    insert into redirect_routes (path, project_id)
    select lower(n.full_path || '/' || p.path), p.id from projects p join namespaces n on n.id = p.namespace_id where p.id = ${id}
    on conflict (path) do update set project_id = excluded.project_id, namespace_id = null, created_at = now()`);

const update = (tx: DirectoryTx, id: number, sets: readonly Sql[]): Promise<unknown> =>
  tx.write(
    'project',
    sql`update projects set ${join([sql`updated_at = now()`, ...sets])} where id = ${id} returning id`,
  );

/** What is published of a change; undefined for what no one acts on, such as what a first push sets. */
function factOf(
  { name, full_path: oldFullPath }: LockedProject,
  decision: ProjectDecision,
  actorId: number,
): ProjectFact | undefined {
  switch (decision.kind) {
    case 'changed':
      if (decision.redirects || (decision.change.name ?? name) !== name)
        return { $case: 'renamed', value: { oldFullPath } };
      return actorId > 0 ? { $case: 'updated', value: {} } : undefined;
    case 'moved':
      return { $case: 'transferred', value: { oldFullPath } };
    case 'archived':
      return { $case: 'updated', value: {} };
    case 'restored':
      return { $case: 'restored', value: {} };
    default:
      return undefined;
  }
}

/** When another project was created concurrently, a unique index refuses the name or path. */
function refuseTaken(error: unknown): never {
  if (isUniqueViolation(error, 'projects_path_unique')) throw invalid({ path: [taken] });
  if (isUniqueViolation(error, 'projects_name_unique')) throw invalid({ name: [taken] });
  throw error;
}

/** Projects in the database; each change is one transaction with its events and directory changes. */
export const projectStore = (
  db: Database,
  { transaction }: Pick<DirectoryWriter, 'transaction'>,
  owners: Pick<Owners, 'add'>,
) => {
  async function addOwner(tx: DirectoryTx, id: number, ownerId: number | undefined, actorId: number): Promise<void> {
    if (ownerId !== undefined) await owners.add(tx, { kind: 'project', id }, ownerId, actorId);
  }

  async function save(tx: DirectoryTx, id: number, decision: ProjectDecision, actorId: number): Promise<unknown> {
    switch (decision.kind) {
      case 'changed':
        if (decision.redirects) await keepRedirect(tx, id);
        if (decision.change.topics !== undefined) await assignTopics(tx, id, decision.change.topics);
        return update(tx, id, changedColumns(decision.change));
      case 'moved':
        await keepRedirect(tx, id);
        await update(tx, id, [sql`namespace_id = ${decision.namespaceId}`]);
        return addOwner(tx, id, decision.ownerId, actorId);
      case 'archived':
        return update(tx, id, [sql`archived = ${decision.archived}`]);
      case 'deleted':
        return update(tx, id, [sql`marked_for_deletion_at = ${decision.purgesNow ? purgeBegun : sql`now()`}`]);
      case 'restored':
        return update(tx, id, [sql`marked_for_deletion_at = null`]);
    }
  }

  return {
    /** A page of projects the viewer may see. */
    list: (viewer: Viewer, filter: ProjectFilter, request: PageRequest, extras: ProjectExtras = noExtras) =>
      listProjects(db, viewer, filter, request, extras),

    /** One project with what the viewer has to do with it. */
    find: (id: number, viewer: Viewer, extras: ProjectExtras = noExtras): Promise<ProjectRow | undefined> =>
      db.one<ProjectRow>(
        extras.statistics || extras.customAttributes
          ? sql`select ${projectColumnsWith(viewer, extras)} from ${projectFrom} where p.id = ${id}`
          : named('project', sql`select ${projectColumns(viewer)} from ${projectFrom} where p.id = ${id}`),
      ),

    /** Own namespace of a user; 0 when they have none. */
    async ownNamespace(userId: number): Promise<number> {
      const row = await db.one<{ id: number }>(sql`select id from namespaces where owner_id = ${userId}`);
      return row?.id ?? 0;
    },

    /** Id of a user by id or username; undefined when there is none. */
    async findUser(idOrUsername: string): Promise<number | undefined> {
      const row = await db.one<{ id: number }>(sql`select u.id from users u where ${isUserNamed(idOrUsername)}`);
      return row?.id;
    },

    /** Id of a project by id or full path; 0 for none, and for one that is marked for deletion. */
    async findId(idOrPath: string): Promise<number> {
      const slash = idOrPath.lastIndexOf('/');
      const found = /^\d{1,15}$/.test(idOrPath)
        ? sql`p.id = ${Number(idOrPath)}`
        : sql`lower(n.full_path) = lower(${idOrPath.slice(0, Math.max(0, slash))}) and lower(p.path) = lower(${idOrPath.slice(slash + 1)})`;
      const row = await db.one<{ id: number }>(
        sql`select p.id from projects p join namespaces n on n.id = p.namespace_id
          where ${found} and p.marked_for_deletion_at is null`,
      );
      return row?.id ?? 0;
    },

    /** Id of a namespace by id or full path; 0 for none. */
    async findNamespace(idOrPath: string): Promise<number> {
      const found = /^\d{1,15}$/.test(idOrPath)
        ? sql`id = ${Number(idOrPath)}`
        : sql`lower(full_path) = lower(${idOrPath})`;
      const row = await db.one<{ id: number }>(sql`select id from namespaces where ${found}`);
      return row?.id ?? 0;
    },

    create: (
      {
        namespaceId,
        userId,
        actorId,
        name,
        path,
        avatar,
      }: {
        readonly namespaceId: number;
        readonly userId: number;
        readonly actorId: number;
        readonly name: string;
        readonly path: string;
        readonly avatar?: StoredAvatar | null | undefined;
      },
      decide: (facts: ProjectFacts) => ProjectCreation,
    ): Promise<number> =>
      transaction(async (tx) => {
        const namespace = await lockNamespace(tx, namespaceId, userId);
        const conflicts = namespace ? await conflictsIn(tx, namespace.id, { name, path }) : noConflicts;
        const { project, ownerId } = decide({ namespace, conflicts });
        const id = await insertProject(tx, project);
        await addOwner(tx, id, ownerId, actorId);
        await setAvatar(tx, { kind: 'project', id }, avatar);
        publishProjectCreated(tx, { id, actorId });
        return id;
      }).catch(refuseTaken),

    change: (
      { id, actorId, namespace: requested, names, avatar, unmodifiedSince }: ProjectChangeRequest,
      decide: (project: LockedProject, facts: ProjectFacts) => ProjectDecision,
    ): Promise<boolean> =>
      transaction(async (tx) => {
        let namespace = requested && (await lockNamespace(tx, requested.id, actorId));
        const project = await lockProject(tx, id);
        if (project === undefined) return false;
        await requireUnmodified(tx, 'projects', id, unmodifiedSince);
        const hasMoved = requested?.kind === 'own' && project.namespace_id !== namespace?.id;
        if (hasMoved) namespace = await lockNamespace(tx, project.namespace_id, actorId);
        const { name, path } = requested?.kind === 'target' ? project : { ...names };
        const newPath = requested?.kind === 'own' && path === project.path ? undefined : path;
        const conflicts = namespace
          ? await conflictsIn(tx, namespace.id, { name, path: newPath, except: id })
          : noConflicts;
        const decision = decide(project, { namespace, conflicts });
        await save(tx, id, decision, actorId);
        await setAvatar(tx, { kind: 'project', id }, avatar);
        const fact = factOf(project, decision, actorId);
        if (fact !== undefined) publishProjectChanged(tx, { id, actorId, fact });
        return true;
      }).catch(refuseTaken),

    /**
     * Records a push: its time, if it is a minute after the last recorded one, and the README of the default branch, if
     * the push reports it. Neither is a change of the project's record.
     */
    async pushed(tx: Tx, id: number, { at, readmePath }: PushRecord): Promise<void> {
      // A clock that runs ahead must not hold back the pushes that follow.
      const time = sql`least(${at}::timestamptz, now())`;
      const later = sql`last_activity_at <= ${time} - interval '1 minute'`;
      const readme = sql`${readmePath?.now ?? null}::text`;
      const reported = sql`${readmePath !== undefined}::boolean`;
      await tx.query(sql`
      update projects set
        last_activity_at = case when ${later} then ${time} else last_activity_at end,
        readme_path = case when ${reported} then ${readme} else readme_path end
      where id = ${id} and (${later} or (${reported} and readme_path is distinct from ${readme}))`);
    },
  };
};
