import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { unavailable } from '@switchyard/errors';

/** Users who stand for people in whose name an import may not write (ADR 67). */
export interface StandIns {
  /** By username in the archive. */
  readonly users: ReadonlyMap<string, number>;
  /** Nobody stands for anybody else. */
  readonly areAll: boolean;
}

/** For whom an import may write. */
export interface ImportRights {
  readonly projectId: number;
  /** User whose import it is. */
  readonly importerId: number;
  /** For every user, since an administrator imports. */
  readonly forEverybody: boolean;
  /** Undefined where an older release calls. */
  readonly standIns?: StandIns | undefined;
}

/** People of an archive (ADR 69). */
export interface ImportedPeople {
  /** Who has written something: the user, who stands for them, or the ghost. @param username null for one who was deleted */
  writer(username: string | null): number;
  /** The user, or who stands for them; undefined for nobody. */
  user(username: string | null): number | undefined;
  /** As `user`. */
  users(usernames: readonly string[]): number[];
  /** The user themselves: nobody decides in the name of another one. Undefined for one who is not written for. */
  decider(username: string | null): number | undefined;
}

/** Nobody stands for some people yet; nothing was written. */
export class UnknownPeople extends Error {
  constructor(readonly usernames: readonly string[]) {
    super('nobody stands for some people of an archive');
    this.name = 'UnknownPeople';
  }
}

/**
 * Finds users by their names: those for whom the import may write. Anybody can be made a member without being asked, so
 * members are none of them (ADR 69).
 * @throws UnknownPeople where others may stand for some
 * @throws AppError unavailable where the caller does not know of them yet
 */
export async function importedPeople(
  db: SqlExecutor,
  { importerId, forEverybody, standIns }: ImportRights,
  usernames: readonly (string | null)[],
): Promise<ImportedPeople> {
  const names = [...new Set(usernames.filter((name) => name !== null))];
  // A placeholder is one of another project. The index of usernames is by their lower case.
  const rows = await db.query<{ username: string; id: number; kind: string }>(sql`
    select u.username, u.id, u.kind from directory.users u
    where u.deleted_at is null and (u.kind = 'ghost' or lower(u.username) = any(${names.map((name) => name.toLowerCase())}::text[])
      and u.username = any(${names}::text[]) and u.kind <> 'placeholder' and (u.id = ${importerId} or ${forEverybody}::boolean))
    order by u.id desc`);
  const byName = new Map(rows.filter(({ kind }) => kind !== 'ghost').map(({ username, id }) => [username, id]));
  const ghost = (): number => {
    const found = rows.findLast(({ kind }) => kind === 'ghost');
    if (found === undefined) throw new Error('the directory has no ghost user');
    return found.id;
  };
  const unknown = names.filter((name) => name !== '' && !byName.has(name) && !standIns?.users.has(name));
  if (unknown.length > 0 && standIns?.areAll !== true)
    throw standIns === undefined ? unavailable(new Error('nobody can stand in')) : new UnknownPeople(unknown);
  const decider = (name: string | null): number | undefined => (name === null ? undefined : byName.get(name));
  const user = (name: string | null): number | undefined =>
    decider(name) ?? (name === null ? undefined : standIns?.users.get(name));
  return {
    user,
    decider,
    users: (given) => [...new Set(given.flatMap((name) => user(name) ?? []))],
    writer: (name) => user(name) ?? ghost(),
  };
}
