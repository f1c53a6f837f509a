import type { SqlExecutor } from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import { internalKinds } from './internal-kinds';

/** The actor of a call, as far as visibility depends on it. */
export interface Viewer {
  /** 0: anonymous. */
  readonly userId: number;
  readonly admin: boolean;
  readonly external: boolean;
}

/** What a query may require of a project in addition to its visibility. */
export interface ProjectRule {
  /**
   * Least level at which a member of a **private** project sees what is listed; default 10 (Guest), the project itself.
   * Merge requests and code of private projects need more (G-5-14).
   */
  readonly privateLevel?: number;
  /** Feature that what is listed belongs to: where it has an access level of its own, that counts as well. */
  readonly feature?: 'merge_requests' | 'repository' | 'issues' | 'snippets' | 'packages';
}

/**
 * Who reads the merge requests of a project: everyone who sees it, in a private one from Reporter on (ability
 * `read_merge_request`).
 */
export const mergeRequestRule: ProjectRule = { privateLevel: levels.reporter, feature: 'merge_requests' };

/** The packages of a project are everybody's, whatever its visibility (G-4.17-8). */
const packagesPublic = sql`p.package_registry_access_level = 'public'`;

/** Packages that everybody reads, beside what `packageRule` asks for: a condition on `p`. */
export const everybodysPackages: Sql = sql`(p.visibility = 'public' or ${packagesPublic})`;

/** Who reads the code of a project (ability `read_code`). */
export const codeRule: ProjectRule = { privateLevel: levels.reporter, feature: 'repository' };

/**
 * Who reads the packages of a project: everyone who sees it, in a private one from Reporter on; everybody where they are
 * `public` (G-4.17-8).
 */
export const packageRule: ProjectRule = { privateLevel: levels.reporter, feature: 'packages' };

/** A viewer inside a statement: constants of one actor, or columns of a users row. */
interface Subject {
  id: Sql;
  /** true or false where it is known beforehand. */
  admin: Sql | boolean;
  external: Sql | boolean;
  known: boolean;
  /** One viewer for the whole statement, so that what depends on them alone is read once. */
  fixed: boolean;
}

const subjectOf = ({ userId, admin, external }: Viewer): Subject => ({
  id: sql`${userId}::bigint`,
  admin,
  external,
  known: userId > 0,
  fixed: true,
});

/** A user `u` of a statement about several. */
const userSubject: Subject = {
  id: sql`u.id`,
  admin: sql`u.admin`,
  external: sql`u.external`,
  known: true,
  fixed: false,
};

/** A membership or a share that is there; an expired one is none (D3). A condition on the alias `row`. */
export const inForce = (row: Sql): Sql =>
  sql`${row}.deleted_at is null and (${row}.expires_at is null or ${row}.expires_at > now())`;

/** A membership or a share that gives `least` or more now. A condition on the alias `row`. */
const counts = (row: Sql, least: number): Sql => sql`${inForce(row)} and ${row}.access_level >= ${least}::int`;

// Subselects that do not mention the row they are used for run once per statement.
const memberships = (subject: Subject, least: number): Sql =>
  sql`directory.memberships m where m.user_id = ${subject.id} and ${counts(sql`m`, least)}`;

const ownNamespaces = (subject: Subject, least: number): Sql =>
  sql`select m.namespace_id from ${memberships(subject, least)} and m.namespace_id is not null`;

const ownProjects = (subject: Subject, least: number): Sql =>
  sql`select m.project_id from ${memberships(subject, least)} and m.project_id is not null`;

const ownNamespaceIds = (subject: Subject, least: number): Sql => sql`array(${ownNamespaces(subject, least)})`;

/**
 * Namespaces that are marked for deletion: whatever lies below is hidden at once, however long the purge takes (D5).
 */
const deletingIds = sql`array(select d.id from directory.namespaces d where d.deleting and d.deleted_at is null)`;

const namespaceLives = sql`n.deleted_at is null and not (n.ancestry && ${deletingIds})`;
const projectLives = sql`p.deleted_at is null and not p.deleting and ${namespaceLives}`;

/** An invited group `g` that is not hidden: a hidden one gives nothing. */
const invitedLives = sql`g.deleted_at is null and not (g.ancestry && ${deletingIds})`;

/** Shares `s` that count, with their invited groups `g`. */
const shares = (least: number): Sql => sql`directory.shares s join directory.namespaces g on g.id = s.group_id
  where ${counts(sql`s`, least)} and ${invitedLives}`;

// No share of an invited group is looked at. The ids of the groups are an array, so that the plan goes from the viewer's
// few groups to their shares by index; joined, it reads every share there is.
const sharesWith = (subject: Subject, least: number): Sql => sql`directory.shares s
  where s.group_id = any(array(
    select g.id from directory.namespaces g where g.ancestry && ${ownNamespaceIds(subject, least)} and ${invitedLives}))
  and ${counts(sql`s`, least)}`;

/**
 * Namespaces in which a viewer is a member, directly or by a share. What lies in a group of theirs is left out: a
 * condition compares every row with this array, so it has to stay short where a whole tree shares with itself.
 */
const memberNamespaceIds = (subject: Subject, least: number): Sql => sql`array(${ownNamespaces(subject, least)}
  union all select s.namespace_id from ${sharesWith(subject, least)} and not exists (
    select from directory.namespaces t where t.id = s.namespace_id and t.ancestry && ${ownNamespaceIds(subject, least)})
    and s.namespace_id is not null)`;

/** Projects in which a viewer is a member, directly or by a share. */
const memberProjectIds = (subject: Subject, least: number): Sql => sql`array(${ownProjects(subject, least)}
  union all select s.project_id from ${sharesWith(subject, least)} and s.project_id is not null)`;

/** The subject is a member of a group that is invited to `p`: read from the few shares of the project. */
const invitedToProject = (subject: Subject, least: number): Sql => sql`exists (
  select from ${shares(least)} and (s.project_id = p.id or s.namespace_id = any(n.ancestry))
    and g.ancestry && ${ownNamespaceIds(subject, least)})`;

function memberOfProject(subject: Subject, least: number): Sql {
  if (subject.fixed) {
    return sql`(
      p.id = any(${memberProjectIds(subject, least)}) or n.ancestry && ${memberNamespaceIds(subject, least)}
      or n.owner_id = ${subject.id})`;
  }
  return sql`(
    p.id = any(array(${ownProjects(subject, least)})) or n.ancestry && ${ownNamespaceIds(subject, least)}
    or n.owner_id = ${subject.id} or ${invitedToProject(subject, least)})`;
}

const or = (parts: Sql[]): Sql => (parts.length === 1 ? parts[0]! : sql`(${join(parts, ' or ')})`);

const isTrue = (fact: Sql | boolean): Sql => (typeof fact === 'boolean' ? sql`${fact}::boolean` : fact);

/** Visibility without membership: public for all, internal for those who are logged in and not external. */
function openTo(column: Sql, subject: Subject): Sql {
  if (!subject.known || subject.external === true) return sql`${column} = 'public'`;
  if (subject.external === false) return sql`${column} in ('public', 'internal')`;
  return sql`(${column} = 'public' or (${column} = 'internal' and not ${isTrue(subject.external)}))`;
}

/**
 * Merge requests go with the repository: both are open, or the viewer is a member where they are `private`. The rule of
 * groups-admin's access resolution; that merge requests are `disabled` is a condition of its own
 * (`merge_requests_enabled`).
 */
function mergeRequestsOpen(subject: Subject): Sql {
  return sql`${repositoryOpen(subject)}
    and (p.merge_requests_access_level <> 'private' or ${membersOrAdmins(subject, levels.reporter)})`;
}

/** A feature is open, or the viewer is a member where it is `private`. */
const openBy = (level: Sql, subject: Subject): Sql =>
  sql`(${level} = 'enabled' or ${level} = 'private' and ${membersOrAdmins(subject, levels.guest)})`;

const repositoryOpen = (subject: Subject): Sql => openBy(sql`p.repository_access_level`, subject);

const membersOrAdmins = (subject: Subject, least: number): Sql =>
  or([...(subject.known ? [memberOfProject(subject, least)] : []), isTrue(subject.admin)]);

const openFeature: Record<NonNullable<ProjectRule['feature']>, (subject: Subject) => Sql> = {
  merge_requests: mergeRequestsOpen,
  repository: repositoryOpen,
  snippets: (subject) => openBy(sql`p.snippets_access_level`, subject),
  packages: (subject) => openBy(sql`p.package_registry_access_level`, subject),
  // That they are `disabled` is a condition of its own (`issues_enabled`).
  issues: (subject) => sql`(p.issues_access_level <> 'private' or ${membersOrAdmins(subject, levels.guest)})`,
};

function projectVisible(subject: Subject, rule: ProjectRule): Sql {
  const seen = projectSeen(subject, rule);
  if (rule.feature === undefined) return seen;
  const open = sql`(${seen} and ${openFeature[rule.feature](subject)})`;
  return rule.feature === 'packages' ? sql`(${open} or (${packagesPublic} and ${projectLives}))` : open;
}

function projectSeen(subject: Subject, { privateLevel = levels.guest }: ProjectRule): Sql {
  if (subject.admin === true) return projectLives;
  const reach = [openTo(sql`p.visibility`, subject)];
  if (subject.known) {
    reach.push(memberOfProject(subject, privateLevel));
    // An external user meets an internal project as a private one, a Guest of it included.
    if (privateLevel > levels.guest && subject.external !== false) {
      reach.push(sql`(p.visibility = 'internal' and ${memberOfProject(subject, levels.guest)})`);
    }
  }
  if (typeof subject.admin !== 'boolean') reach.push(subject.admin);
  return sql`(${projectLives} and ${or(reach)})`;
}

function namespaceVisible(subject: Subject): Sql {
  if (subject.admin === true) return namespaceLives;
  // The namespace of a user is as public as the user is.
  const reach = [sql`n.kind = 'user'`, openTo(sql`n.visibility`, subject)];
  if (subject.known) {
    reach.push(sql`n.ancestry && ${memberNamespaceIds(subject, levels.minimal)}`);
    // A member of a subgroup or project sees the groups above it.
    reach.push(sql`n.id = any(array(
      select unnest(below.ancestry) from directory.namespaces below
      where not (below.ancestry && ${deletingIds}) and (below.id = any(${memberNamespaceIds(subject, levels.minimal)})
        or below.id = any(array(
          select member_of.namespace_id from directory.projects member_of
          where member_of.id = any(${memberProjectIds(subject, levels.minimal)})
            and member_of.deleted_at is null and not member_of.deleting)))))`);
  }
  if (typeof subject.admin !== 'boolean') reach.push(subject.admin);
  return sql`(${namespaceLives} and ${or(reach)})`;
}

/**
 * Which projects an actor may see, as a condition on `directory.projects p` joined with `directory.namespaces n`
 * (`projectsFrom`). Its subselects run once per statement whatever the number of rows, so it can be used in a list that
 * walks an index of its own.
 */
export const visibleProjects = (actor: Viewer, rule: ProjectRule = {}): Sql => projectVisible(subjectOf(actor), rule);

/** Which groups and user namespaces an actor may see, as a condition on `directory.namespaces n`. */
export const visibleNamespaces = (actor: Viewer): Sql => namespaceVisible(subjectOf(actor));

/**
 * Projects the actor is a member of, directly or through a group above, at `minLevel` or more: a condition on `p` and
 * `n`. Administrators are members of no more than others.
 */
export function memberProjects(actor: Viewer, minLevel: number = levels.guest): Sql {
  if (actor.userId === 0) return sql`false`;
  return sql`(${projectLives} and ${memberOfProject(subjectOf(actor), minLevel)})`;
}

/** `directory.projects p` with its namespace `n`, joined to `projectId`; for the `from` of a list. */
export const joinProject = (projectId: Sql): Sql =>
  sql`join directory.projects p on p.id = ${projectId} join directory.namespaces n on n.id = p.namespace_id`;

/** All projects `p` with their namespaces `n`; for the `from` of a list of projects. */
export const projectsFrom: Sql = sql`directory.projects p join directory.namespaces n on n.id = p.namespace_id`;

/**
 * Projects that are open to all addresses (G-4.15-6), as a condition on `n`; for what many groups are searched for and
 * whose finds are more than titles.
 */
export const openToAllAddresses: Sql = sql`not exists (
  select from directory.namespaces r where r.id = n.ancestry[1] and r.address_restricted)`;

/** Projects of a group and of the groups below it, as a condition on `n`. */
export const inGroup = (groupId: number): Sql => sql`n.ancestry @> array[${groupId}::bigint]`;

/**
 * Projects that members of a group reach by it, whether the ways are still open or not: those in it, and those shared
 * with it or with a group below it. A condition on `p` and `n`.
 */
export function reachedByGroup(groupId: number): Sql {
  const shared = sql`directory.shares s join directory.namespaces g on g.id = s.group_id
    where g.ancestry @> array[${groupId}::bigint]`;
  return sql`(${inGroup(groupId)} or p.id = any(array(select s.project_id from ${shared}))
    or n.ancestry && array(select s.namespace_id from ${shared} and s.namespace_id is not null))`;
}

function levelOf(subject: Subject, projectId: Sql): Sql {
  return sql`coalesce((
    select max(level) from directory.projects lp join directory.namespaces ln on ln.id = lp.namespace_id
    cross join lateral (
      select m.access_level as level from ${memberships(subject, levels.guest)} and (m.project_id = lp.id or m.namespace_id = any(ln.ancestry))
      union all select least(s.access_level, (
        select max(m.access_level) from ${memberships(subject, levels.guest)} and m.namespace_id = any(g.ancestry)))
      from ${shares(levels.guest)} and (s.project_id = lp.id or s.namespace_id = any(ln.ancestry))
        and g.ancestry && ${ownNamespaceIds(subject, levels.guest)}
      union all select 50 where ln.owner_id = ${subject.id}
    ) as levels
    where lp.id = ${projectId}), 0)`;
}

/**
 * Effective level of the actor in a project, 0 to 50 (G-5-14), as an expression; does not depend on whether the project
 * exists.
 */
export function accessLevel(actor: Viewer, projectId: Sql | number): Sql {
  if (actor.admin) return sql`50`;
  if (actor.userId === 0) return sql`0`;
  return levelOf(subjectOf(actor), typeof projectId === 'number' ? sql`${projectId}::bigint` : projectId);
}

/** `accessLevel` of each user `u` of a statement about several. */
export const accessLevelOfUser = (projectId: Sql): Sql =>
  sql`case when u.admin then 50 else ${levelOf(userSubject, projectId)} end`;

/**
 * Ids of the groups whose members are members of the project `p` in `n`: those above it, the groups with which it or one
 * of these is shared, and those above them. An array.
 */
export const groupsOfProject: Sql = sql`(n.ancestry || array(
  select unnest(g.ancestry) from ${shares(levels.guest)} and (s.project_id = p.id or s.namespace_id = any(n.ancestry))))`;

/**
 * Whether a user `u` of a statement has `level` or more in the project `p` of the namespace `n` now: an active one, as a
 * member of it or by a group above; administrators have.
 */
export const userWithLevel = (level: number): Sql =>
  sql`(u.deleted_at is null and u.state = 'active' and (u.admin or ${memberOfProject(userSubject, level)}))`;

/**
 * Those of `userIds` who have `level` or more in a project, directly or through a group above; administrators have.
 * Active users alone.
 */
export async function usersAtLevel(
  db: SqlExecutor,
  projectId: number,
  userIds: readonly number[],
  level: number,
): Promise<number[]> {
  if (userIds.length === 0) return [];
  const rows = await db.query<{ id: number }>(sql`
    select u.id from directory.users u, ${projectsFrom}
    where u.id = any(${[...userIds]}::bigint[]) and p.id = ${projectId} and ${projectLives} and ${userWithLevel(level)}
    order by u.id`);
  return rows.map((row) => row.id);
}

/** Active users but bots whose ids a subselect gives. */
async function people(db: SqlExecutor, ids: Sql): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`
    select u.id from directory.users u where u.deleted_at is null and u.state = 'active' and not u.bot and u.id in (${ids})
    order by u.id`);
  return rows.map((row) => row.id);
}

/**
 * Ids of those who have `level` or more as members of groups, of one project as well, or of the groups that these are
 * shared with: a select on `directory.memberships m`, whose condition may be continued.
 * @param groups an array of ids, those of the groups above among them
 */
export const memberIds = (groups: Sql, level: number, project: Sql = sql`null`): Sql => sql`
  select m.user_id from directory.memberships m
  where ${counts(sql`m`, level)} and (m.project_id = ${project} or m.namespace_id = any(${groups} || array(
    select unnest(g.ancestry) from ${shares(level)} and (s.project_id = ${project} or s.namespace_id = any(${groups})))))`;

/**
 * The people who have `level` or more in a project as its members, directly or through a group above: active ones, no
 * bots, and administrators no more than others.
 */
export function membersAtLevel(db: SqlExecutor, projectId: number, level: number): Promise<number[]> {
  const found = sql`${projectsFrom} where p.id = ${projectId} and ${projectLives}`;
  const ids = memberIds(sql`array(select unnest(n.ancestry) from ${found})`, level, sql`(select p.id from ${found})`);
  return people(db, sql`${ids} union all select n.owner_id from ${found}`);
}

/** `membersAtLevel` for a group: its members, those of the groups above, and of groups that it is shared with. */
export const groupMembersAtLevel = (db: SqlExecutor, groupId: number, level: number): Promise<number[]> =>
  people(
    db,
    memberIds(
      sql`array(select unnest(n.ancestry) from directory.namespaces n where n.id = ${groupId} and ${namespaceLives})`,
      level,
    ),
  );

/**
 * Those of `userIds` who can see a project: active users but those that the instance keeps for itself, by the same rule
 * as `visibleProjects`. For who may be assigned, mentioned or notified.
 */
export async function usersWhoSee(
  db: SqlExecutor,
  projectId: number,
  userIds: readonly number[],
  rule: ProjectRule = {},
): Promise<number[]> {
  if (userIds.length === 0) return [];
  const rows = await db.query<{ id: number }>(sql`
    select u.id from directory.users u, ${projectsFrom}
    where u.id = any(${[...userIds]}::bigint[]) and u.deleted_at is null and u.state = 'active'
    and u.kind <> all(${internalKinds}) and p.id = ${projectId} and ${projectVisible(userSubject, rule)}
    order by u.id`);
  return rows.map((row) => row.id);
}

/**
 * `usersWhoSee` for a group.
 * @param level the least level that they have as members of it; 0: none is needed. Administrators have every level
 */
export async function usersWhoSeeGroup(
  db: SqlExecutor,
  groupId: number,
  userIds: readonly number[],
  level = 0,
): Promise<number[]> {
  if (userIds.length === 0) return [];
  const member = sql`(u.admin or n.ancestry && ${memberNamespaceIds(userSubject, level)})`;
  const rows = await db.query<{ id: number }>(sql`
    select u.id from directory.users u, directory.namespaces n
    where u.id = any(${[...userIds]}::bigint[]) and u.deleted_at is null and u.state = 'active'
    and u.kind <> all(${internalKinds}) and n.id = ${groupId} and ${namespaceVisible(userSubject)}
    ${level > 0 ? sql`and ${member}` : sql``} order by u.id`);
  return rows.map((row) => row.id);
}

/** Groups that an actor is a member of at `minLevel` or more, directly or through a group above: a condition on `n`. */
export const memberNamespaces = (actor: Viewer, minLevel: number): Sql =>
  actor.userId === 0
    ? sql`false`
    : sql`(${namespaceLives} and n.ancestry && ${memberNamespaceIds(subjectOf(actor), minLevel)})`;
