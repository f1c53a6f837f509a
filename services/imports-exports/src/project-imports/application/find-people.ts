import { ForgeProblem } from '../../forges';
import type { ImportAuthor } from '../domain/project-import';
import type { ImportedProject } from '../domain/shown-import';
import type { StageContext } from './imports.ports';

/** Milliseconds for the people of a page; then the stage begins again, which looks at its age. A page has up to 10,100. */
const pageMs = 600_000;

/** People of a page. */
export interface PagePeople {
  /** Who wrote something. */
  writer(login: string): number;
  /** The users of logins, without those who are gone. */
  users(logins: readonly string[]): number[];
  /** The project, as it is known with all of them (D5). */
  readonly project: ImportedProject;
}

/**
 * The users with an e-mail address that the forge shows. A forge may say what it likes, and so may who chose it: nobody
 * but the one who imports is written for, unless an administrator imports, and no address is found out that a member hides.
 */
async function byAddress(
  people: StageContext['people'],
  { userId, admin }: ImportAuthor,
  members: readonly number[],
  email: string,
): Promise<{ readonly writtenFor?: number | undefined; readonly asked?: number | undefined }> {
  const writtenFor = await people.byEmail(email, admin ? [userId, ...members] : [userId], 'confirmed');
  return writtenFor === undefined && !admin ? { asked: await people.byEmail(email, members, 'shown') } : { writtenFor };
}

/**
 * Finds the users of logins by the e-mail addresses that the forge shows. For all for whom nothing may be written
 * placeholder users stand; members who seem to be the person are asked to take their places (ADR 67). The forge is asked
 * once for each login of an import, since each answer is recorded when it comes.
 */
export async function findPeople(
  { import: one, project, forge, people, signal }: StageContext,
  logins: readonly string[],
): Promise<PagePeople> {
  const { id, author, requestId } = one;
  const { projectId } = project;
  const distinct = [...new Set(logins.filter((login) => login !== ''))];
  const found = await people.known(id, distinct);
  const fresh = distinct.filter((login) => !found.has(login));
  const members = fresh.length === 0 ? [] : await people.members(project);
  const until = Date.now() + pageMs;
  let { directorySequence } = project;
  const ghost = await people.ghost();
  for (const login of fresh) {
    signal.throwIfAborted();
    if (Date.now() > until) throw new ForgeProblem('later', 'The forge answers slowly');
    const profile = await forge.profileOf(login);
    const { writtenFor, asked } =
      profile?.email === undefined ? {} : await byAddress(people, author, members, profile.email);
    let userId = writtenFor;
    if (userId === undefined) {
      // Of one who shows nothing the login is all there is.
      const person = {
        foreignId: profile?.id ?? `login:${login}`,
        login: profile?.login || login,
        name: profile?.name ?? '',
      };
      const standIn = await people.standIn(
        { owner: { id, isArchive: false }, projectId, requestId },
        person,
        asked === undefined ? undefined : { userId: asked, byId: author.userId },
      );
      userId = standIn?.userId ?? ghost;
      directorySequence = Math.max(directorySequence, standIn?.directorySequence ?? 0);
    }
    await people.record(id, login, userId);
    found.set(login, userId);
  }
  return {
    writer: (login) => found.get(login) ?? ghost,
    users: (given) => [...new Set(given.flatMap((login) => found.get(login) ?? []).filter((id) => id !== ghost))],
    project: { ...project, directorySequence },
  };
}
