import {
  type Database,
  isUniqueViolation,
  type PageRequest,
  requireUnmodified,
  type SqlExecutor,
  type Tx,
} from '@switchyard/database';
import { join, named, sql } from '@switchyard/database/sql';
import { invalid, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import { type StoredAvatar, setAvatar } from '../../avatars';
import {
  type DirectoryTx,
  type DirectoryWriter,
  purgeBegun,
  type Viewer,
  visibleGroups,
  waysOf,
} from '../../directory';
import type { Owners } from '../../members';
import { taken } from '../../rules';
import { type SharedGroup, sharedGroupsJson } from '../../shares';
import { newGroupRefusal } from '../domain/group';
import {
  type GroupChangeRequest,
  type GroupDecision,
  type GroupFacts,
  type NewParentFacts,
  type SavedGroupChange,
  type TransferFacts,
  transferPathTaken,
} from '../domain/group-change';
import type { GroupExtras, GroupFilter, GroupRow, Moving, NewGroup } from '../domain/group-row';
import { groupColumns, groupColumnsWith, noExtras } from './group.columns';
import { publishGroups } from './group.events';
import { listGroups } from './group.list';
import { groupState } from './group-state';
import {
  depthBelow,
  hasWiderContent,
  lockTransfers,
  lockTrees,
  moveGroup,
  ownsServiceAccounts,
  projectHasPath,
} from './group-tree';
import { listTransferLocations } from './transfer-location.list';

const find = async (executor: SqlExecutor, id: number): Promise<GroupRow | undefined> => {
  const [row] = await executor.query<GroupRow>(
    named('group', sql`select ${groupColumns} from namespaces n where n.id = ${id} and n.kind = 'group'`),
  );
  return row;
};

/** The same with what was requested in addition. */
const findWith = (executor: Database, id: number, extras: GroupExtras): Promise<GroupRow | undefined> =>
  extras.statistics || extras.customAttributes
    ? executor.one<GroupRow>(
        sql`select ${groupColumnsWith(extras)} from namespaces n where n.id = ${id} and n.kind = 'group'`,
      )
    : find(executor, id);

/** A group the viewer may see. */
const findVisible = (tx: Tx, id: number, viewer: Viewer): Promise<GroupRow | undefined> =>
  tx.one<GroupRow>(
    sql`select ${groupColumns} from namespaces n where n.id = ${id} and n.kind = 'group' and ${visibleGroups(viewer)}`,
  );

/** Effective level of a user in a group, 0 when none. */
async function levelOf(tx: SqlExecutor, groupId: number, userId: number): Promise<number> {
  const [row] = await tx.query<{ level: number }>(sql`
    select coalesce(max(way.level), 0) as level from namespaces n
    cross join lateral (${waysOf(userId, { ancestry: sql`n.ancestry` }, levels.minimal)}) as way
    where n.id = ${groupId}`);
  return row?.level ?? 0;
}

/** Whether a user may create top-level groups. */
async function canCreateTopLevel(tx: SqlExecutor, userId: number): Promise<boolean> {
  const [row] = await tx.query<{ may: boolean }>(
    sql`select can_create_group and not external as may from users where id = ${userId}`,
  );
  return row?.may ?? false;
}

/** Facts of the parent that a group gets; its tree is locked. */
async function newParentFacts(
  tx: Tx,
  actor: Viewer,
  parentId: number | undefined,
  path: string,
): Promise<NewParentFacts> {
  if (parentId === undefined) {
    const may = actor.admin || (await canCreateTopLevel(tx, actor.userId));
    return { parent: undefined, parentLevel: 0, canCreateTopLevel: may, pathTaken: false };
  }
  const parent = await findVisible(tx, parentId, actor);
  if (parent === undefined) return { parent, parentLevel: 0, canCreateTopLevel: false, pathTaken: false };
  const parentLevel = await levelOf(tx, parent.id, actor.userId);
  return { parent, parentLevel, canCreateTopLevel: false, pathTaken: await projectHasPath(tx, parent.id, path) };
}

async function groupFacts(tx: Tx, group: GroupRow, { path, visibility }: GroupChangeRequest): Promise<GroupFacts> {
  const parent = group.parent_id === null ? undefined : await find(tx, group.parent_id);
  const widens = visibility !== undefined && visibility !== group.visibility;
  const isRenamed = path !== undefined && path !== group.path;
  return {
    parent,
    hasWiderContent: widens && (await hasWiderContent(tx, group.id, visibility)),
    pathTaken: isRenamed && parent !== undefined && (await projectHasPath(tx, parent.id, path)),
  };
}

/** Inserts a group below its parent; a unique violation of `namespaces_full_path` when the path is taken. */
async function insertGroup(tx: DirectoryTx, group: NewGroup): Promise<number> {
  const [row] = await tx.write(
    'namespace',
    sql`
    with drawn as (select nextval(pg_get_serial_sequence('namespaces', 'id')) as id)
    insert into namespaces
      (id, kind, name, path, parent_id, ancestry, full_path, full_name, visibility, description, creator_id, settings)
    select drawn.id, 'group', ${group.name}::text, ${group.path}::text, parent.id,
      coalesce(parent.ancestry, '{}') || drawn.id,
      coalesce(parent.full_path || '/', '') || ${group.path}::text,
      coalesce(parent.full_name || ' / ', '') || ${group.name}::text,
      ${group.visibility}, ${group.description}, ${group.creatorId}, ${JSON.stringify(group.settings)}::jsonb
    from drawn left join namespaces parent on parent.id = ${group.parentId ?? null}::bigint
    returning id`,
  );
  if (row === undefined) throw new Error('a group was not inserted');
  return row.id;
}

/** Changes what does not touch paths. */
async function saveSettings(tx: DirectoryTx, id: number, change: SavedGroupChange): Promise<void> {
  const sets = [sql`updated_at = now()`, sql`settings = settings || ${JSON.stringify(change.settings)}::jsonb`];
  if (change.visibility !== undefined) sets.push(sql`visibility = ${change.visibility}`);
  if (change.description !== undefined) sets.push(sql`description = ${change.description}`);
  if (change.tier !== undefined) sets.push(sql`tier = ${change.tier}`);
  await tx.write('namespace', sql`update namespaces set ${join(sets)} where id = ${id} returning id`);
}

/** Marks a group for deletion, now, or as one whose purge begins at once. */
const mark = (tx: DirectoryTx, id: number, purgesNow: boolean): Promise<unknown> =>
  tx.write(
    'namespace',
    sql`update namespaces set marked_for_deletion_at = ${purgesNow ? purgeBegun : sql`now()`}, updated_at = now()
      where id = ${id} returning id`,
  );

/** Removes the mark. The purge takes no lock of the tree: it may have begun since the mark was read. */
async function removeMark(tx: DirectoryTx, id: number): Promise<void> {
  const restored = await tx.write(
    'namespace',
    sql`update namespaces set marked_for_deletion_at = null, updated_at = now()
      where id = ${id} and marked_for_deletion_at > ${purgeBegun} returning id`,
  );
  if (restored.length === 0) throw notFound('Group');
}

/** Publishes that a group has another name, path or parent. */
async function publishPosition(
  tx: DirectoryTx,
  { id, name, path, full_path: oldFullPath }: GroupRow,
  decision: GroupDecision,
  actorId: number,
): Promise<void> {
  const position = decision.kind === 'changed' || decision.kind === 'moved' ? decision.position : undefined;
  if (position === undefined) return;
  const fact =
    decision.kind === 'moved'
      ? ({ $case: 'moved', value: { oldFullPath } } as const)
      : ({ $case: 'renamed', value: { oldName: name, oldPath: path, oldFullPath } } as const);
  publishGroups(tx, [{ id, group: await groupState(tx, id), fact }], actorId);
}

/** A failed insert or move that would give two namespaces one full path is refused with `refusal`. */
const whenPathTaken =
  (refusal: () => unknown) =>
  (error: unknown): never => {
    throw isUniqueViolation(error, 'namespaces_full_path') ? refusal() : error;
  };

/**
 * Groups in the database. A change of a tree locks its top-level group first, so that full paths are never computed
 * from a path that is changing.
 */
export const groupStore = (db: Database, { transaction }: Pick<DirectoryWriter, 'transaction'>, owners: Owners) => {
  async function save(tx: DirectoryTx, id: number, decision: GroupDecision): Promise<void> {
    switch (decision.kind) {
      case 'changed':
        await saveSettings(tx, id, decision.change);
        if (decision.position !== undefined) await moveGroup(tx, id, decision.position);
        return;
      case 'moved':
        await moveGroup(tx, id, decision.position);
        if (!(await owners.exist(tx, id)))
          await owners.add(tx, { kind: 'group', id }, decision.ownerId, decision.ownerId);
        return;
      case 'deleted':
        return void (await mark(tx, id, decision.purgesNow));
      case 'restored':
        return removeMark(tx, id);
    }
  }

  return {
    /** A page of groups the viewer may see. */
    list: (viewer: Viewer, filter: GroupFilter, request: PageRequest) => listGroups(db, viewer, filter, request),

    /** One group, marked or not. */
    find: (id: number, extras: GroupExtras = noExtras): Promise<GroupRow | undefined> => findWith(db, id, extras),

    /** Groups with which a group is shared itself, those the viewer sees. */
    async sharedWith(viewer: Viewer, id: number): Promise<SharedGroup[]> {
      const row = await db.one<{ groups: SharedGroup[] }>(
        named('group_shared_with', sql`select ${sharedGroupsJson(sql`s.namespace_id = ${id}`, viewer)} as groups`),
      );
      return row?.groups ?? [];
    },

    /** Id of a group by id or full path; 0 for none, and for one whose purge has begun. */
    async findId(idOrPath: string): Promise<number> {
      const found = /^\d{1,15}$/.test(idOrPath)
        ? sql`n.id = ${Number(idOrPath)}`
        : sql`lower(n.full_path) = lower(${idOrPath})`;
      const row = await db.one<{ id: number }>(
        sql`select n.id from namespaces n where ${found} and n.kind = 'group'
          and n.marked_for_deletion_at is distinct from ${purgeBegun}`,
      );
      return row?.id ?? 0;
    },

    /** A page of groups to which the viewer may move something. */
    transferLocations: (viewer: Viewer, moving: Moving, search: string | undefined, request: PageRequest) =>
      listTransferLocations(db, viewer, moving, search, request),

    create: (
      {
        actor,
        parentId,
        path,
        avatar,
      }: {
        readonly actor: Viewer;
        readonly parentId: number | undefined;
        readonly path: string;
        readonly avatar?: StoredAvatar | null | undefined;
      },
      decide: (facts: NewParentFacts) => NewGroup,
    ): Promise<number> =>
      transaction(async (tx) => {
        if (parentId !== undefined) await lockTrees(tx, [parentId]);
        const group = decide(await newParentFacts(tx, actor, parentId, path));
        const id = await insertGroup(tx, group);
        await owners.add(tx, { kind: 'group', id }, actor.userId, actor.userId);
        await setAvatar(tx, { kind: 'group', id }, avatar);
        const created = { $case: 'created', value: {} } as const;
        publishGroups(tx, [{ id, group: await groupState(tx, id), fact: created }], actor.userId);
        return id;
      }).catch(whenPathTaken(() => newGroupRefusal({ path: [taken] }))),

    change: (
      request: GroupChangeRequest,
      decide: (group: GroupRow, facts: GroupFacts) => GroupDecision,
    ): Promise<boolean> =>
      transaction(async (tx) => {
        await lockTrees(tx, [request.id]);
        const group = await find(tx, request.id);
        if (group === undefined || group.purging) return false;
        const decision = decide(group, await groupFacts(tx, group, request));
        await requireUnmodified(tx, 'namespaces', group.id, request.unmodifiedSince);
        await save(tx, group.id, decision);
        await publishPosition(tx, group, decision, request.actorId ?? 0);
        await setAvatar(tx, { kind: 'group', id: group.id }, request.avatar);
        return true;
      }).catch(whenPathTaken(() => invalid({ path: [taken] }))),

    transfer: (
      { actor, id, parentId }: { readonly actor: Viewer; readonly id: number; readonly parentId: number | undefined },
      decide: (group: GroupRow, facts: TransferFacts) => GroupDecision,
    ): Promise<boolean> =>
      transaction(async (tx) => {
        await lockTransfers(tx);
        await lockTrees(tx, parentId === undefined ? [id] : [id, parentId]);
        const group = await find(tx, id);
        if (group === undefined) return false;
        const facts = await newParentFacts(tx, actor, parentId, group.path);
        const isBelow = facts.parent !== undefined;
        const depth = isBelow ? await depthBelow(tx, id) : 1;
        const hasServiceAccounts = isBelow && (await ownsServiceAccounts(tx, id));
        const decision = decide(group, { ...facts, depthBelow: depth, hasServiceAccounts });
        await save(tx, id, decision);
        await publishPosition(tx, group, decision, actor.userId);
        return true;
      }).catch(whenPathTaken(transferPathTaken)),
  };
};
