import type { Forge } from '../../forges';
import type { ProjectImport } from '../domain/project-import';
import type { ImportPeople } from './imports.ports';

/** Who wrote something. */
export interface Writer {
  /** The user, or the one who imports. */
  readonly userId: number;
  /** What stands before a text of somebody who is no user here. */
  readonly prefix: string;
}

/** People of a page. */
export interface PagePeople {
  writer(login: string): Writer;
  /** The users among logins. */
  users(logins: readonly string[]): number[];
}

/**
 * Finds the users of logins: by the e-mail address that a user of the forge shows, where a user here has confirmed it. The
 * forge is asked once for each login of an import.
 */
export async function findPeople(
  people: ImportPeople,
  forge: Forge,
  { id, author }: ProjectImport,
  logins: readonly string[],
): Promise<PagePeople> {
  const distinct = [...new Set(logins.filter((login) => login !== ''))];
  const found = await people.known(id, distinct);
  const emails = new Map<string, string>();
  const fresh = distinct.filter((login) => !found.has(login));
  for (const login of fresh) {
    const email = await forge.emailOf(login);
    if (email !== undefined) emails.set(login, email);
  }
  if (fresh.length > 0) {
    const users = await people.byEmails([...emails.values()]);
    const made = new Map(fresh.map((login) => [login, users.get(emails.get(login) ?? '')]));
    await people.record(id, made);
    for (const [login, userId] of made) found.set(login, userId);
  }
  return {
    writer(login) {
      const userId = found.get(login);
      if (userId !== undefined) return { userId, prefix: '' };
      return { userId: author.userId, prefix: `*Created by: ${login || 'ghost'}*\n\n` };
    },
    users: (given) => [...new Set(given.flatMap((login) => found.get(login) ?? []))],
  };
}
