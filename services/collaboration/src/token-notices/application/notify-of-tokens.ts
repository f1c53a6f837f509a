import type { Tx } from '@switchyard/database';
import { fullPath, groupMembersAtLevel, membersAtLevel, namespacesByIds, projectById } from '@switchyard/directory';
import type { mailStore } from '../../mail';
import { type ExpiringToken, tokenMail, tokenMailLevel } from '../domain/token-mail';

/** Path and managers of the project or group of an access token; undefined when it is gone. */
async function managersOf(
  tx: Tx,
  token: ExpiringToken,
): Promise<{ path: string; userIds: readonly number[] } | undefined> {
  const level = tokenMailLevel(token);
  if (token.projectId > 0) {
    const project = await projectById(tx, token.projectId);
    if (project === undefined || project.deleting) return undefined;
    return { path: fullPath(project), userIds: await membersAtLevel(tx, token.projectId, level) };
  }
  const group = (await namespacesByIds(tx, [token.groupId])).get(token.groupId);
  return group && { path: group.full_path, userIds: await groupMembersAtLevel(tx, token.groupId, level) };
}

/**
 * Asks for the mails about a token that ends soon: to its owner, or to those who manage the project or group that it is
 * of. The same event asks for the same mails.
 */
export const notifyOfTokens =
  (mails: Pick<typeof mailStore, 'queue'>) =>
  async (tx: Tx, ownerId: number, token: ExpiringToken): Promise<void> => {
    if (token.projectId === 0 && token.groupId === 0) return mails.queue(tx, tokenMail(token, undefined), [ownerId]);
    const managers = await managersOf(tx, token);
    if (managers !== undefined) await mails.queue(tx, tokenMail(token, managers.path), managers.userIds);
  };
