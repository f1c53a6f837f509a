import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { groupsOfProject, inForce, usersByIds, usersByUsernames, visibleNamespaces } from '@switchyard/directory';

/** Members one text can call on through groups and `@all`; keeps the transaction that raises their to-dos short. */
const maxMembers = 10_000;

/** Name that stands for the members of the project. */
const everybody = 'all';

/** The level of the membership `m` as it is now. */
const levelNow = sql`m.access_level`;

/** Current memberships of other users than the author, whom a mention of a group does not mean. */
const living = (authorId: number, level: Sql) =>
  sql`${inForce(sql`m`)} and ${level} >= 10 and m.user_id <> ${authorId}`;

async function membersOfGroups(
  tx: SqlExecutor,
  paths: readonly string[],
  authorId: number,
  level: Sql,
): Promise<{ name: string; userId: number }[]> {
  const author = (await usersByIds(tx, [authorId])).get(authorId);
  if (paths.length === 0 || author === undefined) return [];
  const viewer = { userId: author.id, admin: author.admin, external: author.external };
  return tx.query(sql`
    select lower(n.full_path) as name, m.user_id as "userId" from directory.namespaces n
    join directory.memberships m on m.namespace_id = n.id
    where lower(n.full_path) = any(${[...paths]}::text[]) and n.kind = 'group' and not n.mentions_disabled
      and ${visibleNamespaces(viewer)}
      and ${living(authorId, level)}
    limit ${maxMembers}`);
}

const membersOfProject = (
  tx: SqlExecutor,
  projectId: number,
  authorId: number,
  level: Sql,
): Promise<{ userId: number }[]> =>
  tx.query(sql`
    select distinct m.user_id as "userId" from directory.projects p join directory.namespaces n on n.id = p.namespace_id
    join directory.memberships m on m.project_id = p.id or m.namespace_id = any(${groupsOfProject})
    where p.id = ${projectId} and ${living(authorId, level)}
    limit ${maxMembers}`);

const membersOfGroup = (
  tx: SqlExecutor,
  groupId: number,
  authorId: number,
  level: Sql,
): Promise<{ userId: number }[]> =>
  tx.query(sql`
    select distinct m.user_id as "userId" from directory.namespaces n
    join directory.memberships m on m.namespace_id = any(n.ancestry)
    where n.id = ${groupId} and ${living(authorId, level)}
    limit ${maxMembers}`);

/**
 * Whom names in a text mean, by the name in lower case: the user with that username, the members of the group with that
 * full path as far as the author may see the group and mentions of it are not disabled, or for `all` the members of the project. At most four statements;
 * groups and `all` reach 10,000 members each.
 * @param level the level of a membership `m` by which one belongs to those called; default that of now
 */
export async function mentionedUsers(
  tx: SqlExecutor,
  names: readonly string[],
  {
    projectId,
    groupId,
    authorId,
    level = levelNow,
  }: {
    readonly projectId: number;
    /** Of an epic: its members are all that `all` calls. */
    readonly groupId?: number | undefined;
    readonly authorId: number;
    readonly level?: Sql;
  },
): Promise<Map<string, number[]>> {
  const wanted = [...new Set(names.map((name) => name.toLowerCase()))];
  const users = await usersByUsernames(tx, wanted);
  const found = new Map<string, number[]>([...users].map(([name, { id }]) => [name, [id]]));
  const others = wanted.filter((name) => !found.has(name) && name !== everybody);
  if (others.length > 0) {
    for (const { name, userId } of await membersOfGroups(tx, others, authorId, level))
      found.set(name, [...(found.get(name) ?? []), userId]);
  }
  if (wanted.includes(everybody)) {
    const members =
      groupId === undefined
        ? await membersOfProject(tx, projectId, authorId, level)
        : await membersOfGroup(tx, groupId, authorId, level);
    found.set(
      everybody,
      members.map(({ userId }) => userId),
    );
  }
  return found;
}
