import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/** For whom an import may write. */
export interface ImportRights {
  readonly projectId: number;
  /** User whose import it is. */
  readonly importerId: number;
  /** For every user, since an administrator imports. */
  readonly forEverybody: boolean;
}

/** Who wrote something. */
interface Writer {
  /** The user, or the one who imports. */
  readonly userId: number;
  /** What stands before a text of somebody who is not written for. */
  readonly prefix: string;
}

/** People of an archive (ADR 69). */
export interface ImportedPeople {
  /** @param username null for a user who was deleted */
  writer(username: string | null): Writer;
  /** Undefined for one who is not written for. */
  user(username: string | null): number | undefined;
  users(usernames: readonly string[]): number[];
}

/** What stands before a text of somebody who is no user here (ADR 57). @param name empty for one who was deleted */
const writtenBy = (name: string): string => `*Created by: ${name || 'ghost'}*\n\n`;

/**
 * Finds users by their names: those for whom the import may write. Anybody can be made a member without being asked, so
 * members are none of them (ADR 69).
 */
export async function importedPeople(
  db: SqlExecutor,
  { importerId, forEverybody }: ImportRights,
  usernames: readonly (string | null)[],
): Promise<ImportedPeople> {
  const names = [...new Set(usernames.filter((name) => name !== null))];
  const rows =
    names.length === 0
      ? []
      : await db.query<{ username: string; id: number }>(sql`
          select u.username, u.id from directory.users u
          where u.username = any(${names}::text[]) and u.deleted_at is null
            and (u.id = ${importerId} or ${forEverybody}::boolean)`);
  const byName = new Map(rows.map(({ username, id }) => [username, id]));
  const user = (name: string | null): number | undefined => (name === null ? undefined : byName.get(name));
  return {
    user,
    users: (given) => [...new Set(given.flatMap((name) => user(name) ?? []))],
    writer(name) {
      const userId = user(name);
      return userId === undefined ? { userId: importerId, prefix: writtenBy(name ?? '') } : { userId, prefix: '' };
    },
  };
}
