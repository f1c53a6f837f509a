import type { Database, Tx } from '@switchyard/database';
import { badRequest } from '@switchyard/errors';
import { setLevel, stopDigest } from '../../notification-settings';
import type { UnsubscribeTokens } from './unsubscribe-token';

/** What ending mail needs. */
export interface Unsubscribing {
  readonly db: Database;
  readonly tokens: Pick<UnsubscribeTokens, 'read'>;
  /** Does nothing where the issue or epic is gone. */
  readonly endSubscription: (tx: Tx, kind: 'issue' | 'epic', ended: { id: number; userId: number }) => Promise<void>;
  readonly endMergeRequestSubscription: (id: number, userId: number) => Promise<void>;
  readonly projectExists: (id: number) => Promise<boolean>;
}

/** What was ended: mail about a subject, all mail about a project, or all mail about what happens. */
export type Ended = 'subject' | 'project' | 'everything';

/**
 * Ends what the link of a mail is for: the subscription to an issue, epic or merge request; where there is none to end, mail
 * about the project; that of a digest ends all mail about what happens. Repeats change nothing.
 * @throws AppError bad_request for a link that was not made here
 */
export const unsubscribe =
  ({ db, tokens, endSubscription, endMergeRequestSubscription, projectExists }: Unsubscribing) =>
  async (token: string): Promise<Ended> => {
    const ended = tokens.read(token);
    if (ended === undefined) throw badRequest('The link is invalid');
    const { userId, type, id, projectId } = ended;
    if (type === 'Issue' || type === 'Epic') {
      const kind = type === 'Issue' ? 'issue' : 'epic';
      await db.transaction((tx) => endSubscription(tx, kind, { id, userId }));
      return 'subject';
    }
    if (type === 'MergeRequest') {
      await endMergeRequestSubscription(id, userId);
      return 'subject';
    }
    if (type === 'Digest') {
      await db.transaction((tx) => stopDigest(tx, userId));
      return 'everything';
    }
    if (await projectExists(projectId))
      await db.transaction((tx) => setLevel(tx, userId, { projectId, groupId: 0 }, 'disabled'));
    return 'project';
  };
