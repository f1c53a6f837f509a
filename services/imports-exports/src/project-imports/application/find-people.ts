import { ForgeProblem } from '../../forges';
import type { StageContext } from './imports.ports';

/** Milliseconds for the people of a page; then the stage begins again, which looks at its age. A page has up to 10,100. */
const pageMs = 600_000;

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
 * Finds the users of logins: by the e-mail address that a user of the forge shows, where the one who imports or a member
 * of the project has confirmed it. A forge may say what it likes, and so may who chose it: nobody else is written for.
 * The forge is asked once for each login of an import, since each answer is recorded when it comes.
 */
export async function findPeople(
  { import: one, project, forge, people, signal }: StageContext,
  logins: readonly string[],
): Promise<PagePeople> {
  const { id, author } = one;
  const distinct = [...new Set(logins.filter((login) => login !== ''))];
  const found = await people.known(id, distinct);
  const fresh = distinct.filter((login) => !found.has(login));
  const among = fresh.length === 0 ? [] : [author.userId, ...(await people.members(project))];
  const until = Date.now() + pageMs;
  for (const login of fresh) {
    signal.throwIfAborted();
    if (Date.now() > until) throw new ForgeProblem('later', 'The forge answers slowly');
    const email = await forge.emailOf(login);
    const userId = email === undefined ? undefined : await people.byEmail(email, among);
    await people.record(id, login, userId);
    found.set(login, userId);
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
