import {
  type Database,
  isUniqueViolation,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type SqlExecutor,
  type Tx,
} from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import {
  joinProject,
  memberIds,
  type UserRow,
  usersByUsernames,
  usersJson,
  userWithLevel,
  type Viewer,
  visibleNamespaces,
} from '@switchyard/directory';
import { invalid } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import {
  type ApprovalRule,
  type ApprovalRuleView,
  maxRules,
  type RuleBranch,
  type RuleGroup,
  type RuleOwner,
} from '../domain/approval-rule';

/** Most users shown as eligible for a rule. */
const maxEligible = 1_000;

interface Row {
  id: number;
  source_rule_id: number | null;
  rule_type: ApprovalRule['type'];
  name: string;
  approvals_required: number;
  applies_to_all_protected_branches: boolean;
  user_ids: number[];
  group_ids: number[];
  branch_ids: number[];
}

interface ViewRow extends Row {
  users: UserRow[];
  groups: RuleGroup[] | null;
  eligible: UserRow[];
  branches: RuleBranch[] | null;
  source_required: number | null;
}

const columns = sql`r.id, r.source_rule_id, r.rule_type, r.name, r.approvals_required, r.applies_to_all_protected_branches,
  array(select ru.user_id from approval_rule_users ru where ru.rule_id = r.id order by ru.user_id) as user_ids,
  array(select rg.group_id from approval_rule_groups rg where rg.rule_id = r.id order by rg.group_id) as group_ids,
  array(select rb.protected_branch_id from approval_rule_branches rb where rb.rule_id = r.id order by rb.protected_branch_id) as branch_ids`;

const liveUsers = sql`array(
  select ru.user_id from approval_rule_users ru join directory.users u on u.id = ru.user_id and u.deleted_at is null
  where ru.rule_id = r.id order by ru.user_id)`;

/** The groups `n` of a rule that a viewer sees. */
const seenGroups = (viewer: Viewer): Sql => sql`approval_rule_groups rg
  join directory.namespaces n on n.id = rg.group_id and n.kind = 'group' and ${visibleNamespaces(viewer)}
  where rg.rule_id = r.id`;

const viewColumns = (viewer: Viewer): Sql => sql`${columns}, ${usersJson(liveUsers)} as users,
  (select json_agg(json_build_object('id', n.id, 'name', n.name, 'path', n.path, 'full_path', n.full_path,
      'full_name', n.full_name, 'visibility', n.visibility, 'avatar_url', n.avatar_url,
      'parent_id', n.ancestry[cardinality(n.ancestry) - 1]) order by n.id)
    from ${seenGroups(viewer)}) as groups,
  ${usersJson(sql`array(
    select u.id from directory.users u where u.id in (
      select ru.user_id from approval_rule_users ru where ru.rule_id = r.id
      union all ${memberIds(sql`array(select unnest(n.ancestry) from ${seenGroups(viewer)})`, levels.developer)})
      and ${userWithLevel(levels.developer)}
    order by u.id limit ${maxEligible})`)} as eligible,
  (select json_agg(json_build_object('id', pb.id, 'name', pb.name, 'pushAccessLevel', pb.push_access_level,
      'mergeAccessLevel', pb.merge_access_level, 'allowForcePush', pb.allow_force_push) order by pb.id)
    from protected_branches pb where case when r.applies_to_all_protected_branches then pb.project_id = r.project_id
      else pb.id in (select rb.protected_branch_id from approval_rule_branches rb where rb.rule_id = r.id) end) as branches,
  (select s.approvals_required from approval_rules s where s.id = r.source_rule_id) as source_required`;

const from = sql`approval_rules r ${joinProject(sql`r.project_id`)}`;

const ownedBy = ({ projectId, mergeRequestId }: RuleOwner): Sql =>
  mergeRequestId === undefined
    ? sql`r.project_id = ${projectId} and r.merge_request_id is null`
    : sql`r.merge_request_id = ${mergeRequestId}`;

const toRule = (row: Row): ApprovalRule => ({
  id: row.id,
  sourceRuleId: row.source_rule_id ?? undefined,
  type: row.rule_type,
  name: row.name,
  required: row.approvals_required,
  userIds: row.user_ids,
  groupIds: row.group_ids,
  protectedBranchIds: row.branch_ids,
  allProtectedBranches: row.applies_to_all_protected_branches,
});

function toView(row: ViewRow): ApprovalRuleView {
  const groups = row.groups ?? [];
  const seen = new Set(groups.map(({ id }) => id));
  return {
    rule: toRule(row),
    users: row.users,
    groups,
    hiddenGroupIds: row.group_ids.filter((id) => !seen.has(id)),
    eligible: row.eligible,
    branches: row.branches ?? [],
    sourceRequired: row.source_required ?? undefined,
  };
}

const orders = { id: [{ name: 'id', expression: sql`r.id`, type: 'bigint' as const }] };

/** Rules of one owner are counted and made one after the other. */
const lockOwner = (tx: Tx, { projectId, mergeRequestId }: RuleOwner): Promise<unknown> =>
  tx.query(
    sql`select pg_advisory_xact_lock(hashtextextended(${`approval_rules ${projectId} ${mergeRequestId ?? ''}`}, 0))`,
  );

/** A unique violation as the caller is told of it. */
function refusal(error: unknown): unknown {
  const names = ['approval_rules_of_project_name', 'approval_rules_of_merge_request_name'];
  if (names.some((name) => isUniqueViolation(error, name))) return invalid({ name: ['has already been taken'] });
  const any = ['approval_rules_of_project_any', 'approval_rules_of_merge_request_any'];
  if (any.some((name) => isUniqueViolation(error, name)))
    return invalid({ rule_type: ['any-approver rule already exists'] });
  return error;
}

async function keepScope(tx: Tx, id: number, rule: Omit<ApprovalRule, 'id'>): Promise<void> {
  await tx.query(sql`
    with users as (delete from approval_rule_users where rule_id = ${id} and user_id <> all(${[...rule.userIds]}::bigint[])),
      groups as (delete from approval_rule_groups where rule_id = ${id} and group_id <> all(${[...rule.groupIds]}::bigint[])),
      branches as (delete from approval_rule_branches where rule_id = ${id}
        and protected_branch_id <> all(${[...rule.protectedBranchIds]}::bigint[])),
      new_users as (insert into approval_rule_users (rule_id, user_id)
        select ${id}, given.id from unnest(${[...rule.userIds]}::bigint[]) as given (id) on conflict do nothing),
      new_groups as (insert into approval_rule_groups (rule_id, group_id)
        select ${id}, given.id from unnest(${[...rule.groupIds]}::bigint[]) as given (id) on conflict do nothing)
    insert into approval_rule_branches (rule_id, protected_branch_id)
    select ${id}, b.id from protected_branches b where b.id = any(${[...rule.protectedBranchIds]}::bigint[]) on conflict do nothing`);
}

type AfterNaming = (tx: Tx, userIds: readonly number[]) => Promise<void>;

/** The tables of approval rules. */
export const approvalRuleStore = (db: Database) => {
  const views = async (executor: SqlExecutor, where: Sql, viewer: Viewer): Promise<ApprovalRuleView[]> =>
    (
      await executor.query<ViewRow & Record<string, unknown>>(
        sql`select ${viewColumns(viewer)} from ${from} where ${where} order by r.id`,
      )
    ).map(toView);

  return {
    async list(
      owner: RuleOwner,
      viewer: Viewer,
      request: PageRequest,
    ): Promise<{ rows: ApprovalRuleView[]; page: PageInfo }> {
      const { rows, page } = await listPage<ViewRow & Record<string, unknown>>({
        db,
        name: 'list_approval_rules',
        select: viewColumns(viewer),
        from,
        where: [ownedBy(owner)],
        orders,
        request,
        count: true,
      });
      return { rows: rows.map(toView), page };
    },

    find: async (owner: RuleOwner, id: number, viewer: Viewer): Promise<ApprovalRuleView | undefined> =>
      (await views(db, sql`r.id = ${id} and ${ownedBy(owner)}`, viewer))[0],

    byIds: async (ids: readonly number[], viewer: Viewer): Promise<ApprovalRuleView[]> =>
      ids.length === 0 ? [] : views(db, sql`r.id = any(${[...ids]}::bigint[])`, viewer),

    async add(owner: RuleOwner, rule: Omit<ApprovalRule, 'id'>, also: AfterNaming): Promise<number> {
      try {
        return await db.transaction(async (tx) => {
          await lockOwner(tx, owner);
          const count = await tx.one<{ rules: number }>(
            sql`select count(*)::int as rules from approval_rules r where ${ownedBy(owner)}`,
          );
          if ((count?.rules ?? 0) >= maxRules) throw invalid({ base: [`at most ${maxRules} rules can be made`] });
          const row = await tx.one<{ id: number }>(sql`
            insert into approval_rules (project_id, merge_request_id, source_rule_id, rule_type, name, approvals_required,
              applies_to_all_protected_branches)
            values (${owner.projectId}, ${owner.mergeRequestId ?? null}, ${rule.sourceRuleId ?? null}, ${rule.type},
              ${rule.name}, ${rule.required}, ${rule.allProtectedBranches}) returning id`);
          await keepScope(tx, row!.id, rule);
          if (rule.required > 0) await also(tx, rule.userIds);
          return row!.id;
        });
      } catch (error) {
        throw refusal(error);
      }
    },

    async change(
      owner: RuleOwner,
      id: number,
      decide: (rule: ApprovalRule) => ApprovalRule,
      also: AfterNaming,
    ): Promise<boolean> {
      try {
        return await db.transaction(async (tx) => {
          const row = await tx.one<Row & Record<string, unknown>>(
            sql`select ${columns} from approval_rules r where r.id = ${id} and ${ownedBy(owner)} for update`,
          );
          if (row === undefined) return false;
          const before = toRule(row);
          const rule = decide(before);
          await tx.query(sql`
            update approval_rules set name = ${rule.name}, approvals_required = ${rule.required},
              applies_to_all_protected_branches = ${rule.allProtectedBranches}, updated_at = now()
            where id = ${id}`);
          await keepScope(tx, id, rule);
          const known = new Set(before.required > 0 ? before.userIds : []);
          if (rule.required > 0)
            await also(
              tx,
              rule.userIds.filter((userId) => !known.has(userId)),
            );
          return true;
        });
      } catch (error) {
        throw refusal(error);
      }
    },

    remove: (owner: RuleOwner, id: number, unmodifiedSince: Date | undefined): Promise<boolean> =>
      db.transaction(async (tx) => {
        const row = await tx.one(
          sql`select id from approval_rules r where r.id = ${id} and ${ownedBy(owner)} for update`,
        );
        if (row === undefined) return false;
        await requireUnmodified(tx, 'approval_rules', id, unmodifiedSince);
        await tx.query(sql`delete from approval_rules where id = ${id}`);
        return true;
      }),

    userIds: async (usernames: readonly string[]): Promise<number[]> =>
      [...(await usersByUsernames(db, usernames)).values()].map(({ id }) => id),

    async visibleGroups(ids: readonly number[], viewer: Viewer): Promise<number[]> {
      const rows = await db.query<{ id: number }>(sql`
        select n.id from directory.namespaces n where n.id = any(${[...ids]}::bigint[]) and n.kind = 'group'
          and ${visibleNamespaces(viewer)} order by n.id`);
      return rows.map(({ id }) => id);
    },

    async protectedBranches(projectId: number, ids: readonly number[]): Promise<number[]> {
      const rows = await db.query<{ id: number }>(sql`
        select id from protected_branches where project_id = ${projectId} and id = any(${[...ids]}::bigint[]) order by id`);
      return rows.map(({ id }) => id);
    },
  };
};
