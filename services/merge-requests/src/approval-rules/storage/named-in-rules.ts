import type { Database } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { type ImportRights, usersByIds, usersByUsernames, visibleNamespaces } from '@switchyard/directory';
import type { ImportedRule, NamedInRules } from '../domain/imported-rule';

/** Finds what rules of an archive name. */
export const findNamedInRules =
  (db: Database) =>
  async (
    { projectId, importerId, forEverybody }: ImportRights,
    importedFrom: string,
    given: readonly ImportedRule[],
  ): Promise<NamedInRules> => {
    async function ids<Name extends string | number>(rows: Sql): Promise<Map<Name, number>> {
      const found = await db.query<{ name: Name; id: number }>(rows);
      return new Map(found.map(({ name, id }) => [name, id]));
    }
    const external = (await usersByIds(db, [importerId])).get(importerId)?.external ?? true;
    const viewer = { userId: importerId, admin: forEverybody, external };
    const [users, groups, branches, mergeRequests, rules] = await Promise.all([
      usersByUsernames(
        db,
        given.flatMap(({ usernames }) => usernames),
      ),
      ids<string>(sql`
        select n.full_path as name, n.id from directory.namespaces n
        where n.full_path = any(${given.flatMap((one) => one.groups)}::text[]) and n.kind = 'group' and ${visibleNamespaces(viewer)}`),
      ids<string>(sql`
        select name, id from protected_branches
        where project_id = ${projectId} and name = any(${given.flatMap((one) => one.protectedBranches)}::text[])`),
      ids<number>(sql`
        select iid as name, id from merge_requests where project_id = ${projectId} and imported_from = ${importedFrom}
          and iid = any(${given.flatMap(({ mergeRequestIid = [] }) => mergeRequestIid)}::bigint[])`),
      ids<string>(sql`
        select name, id from approval_rules where project_id = ${projectId} and merge_request_id is null
          and name = any(${given.flatMap(({ source = [] }) => source)}::text[])`),
    ]);
    return { users: new Map([...users].map(([name, { id }]) => [name, id])), groups, branches, mergeRequests, rules };
  };
