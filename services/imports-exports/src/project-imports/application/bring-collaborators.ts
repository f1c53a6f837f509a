import { levels } from '@switchyard/rights';
import type { ForgeCollaborator } from '../../forges';
import { findPeople } from './find-people';
import type { StageContext } from './imports.ports';

/** Levels of the roles of forges; none is above that of who may import (G-4.19-9). */
const levelsOf: Readonly<Record<ForgeCollaborator['role'], number>> = {
  read: levels.guest,
  triage: levels.reporter,
  write: levels.developer,
  maintain: levels.maintainer,
  admin: levels.maintainer,
};

/**
 * Lets those collaborators into the project who are users here. Who takes the place of a placeholder is let in then: nobody
 * becomes a member whom a forge alone names (ADR 67).
 * @returns how many are direct members of the project
 */
export async function bringCollaborators(
  context: StageContext,
  collaborators: readonly ForgeCollaborator[],
): Promise<number> {
  const { targets, people, import: one } = context;
  const found = await findPeople(
    context,
    collaborators.map(({ login }) => login),
  );
  const roles = collaborators.flatMap(({ login, role }) =>
    found.users([login]).map((userId) => ({ userId, level: levelsOf[role] })),
  );
  const usernames = await people.usernames(roles.map(({ userId }) => userId));
  await people.promiseRoles(
    one.id,
    roles.filter(({ userId }) => !usernames.has(userId)),
  );
  // What an import before that was not kept: who was removed here since is not told from who is new.
  if (context.since !== undefined && context.known.length === 0) return 0;
  const members = roles.filter(({ userId }) => usernames.has(userId));
  return targets.importMembers(found.project, one.author, members, one.requestId);
}
