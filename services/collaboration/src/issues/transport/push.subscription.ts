import { afterDirectory, type Directory } from '@switchyard/directory';
import { type AnySubscription, faultPoint, repositoryPushed, subscription } from '@switchyard/events';
import type { closeIssuesOfPush } from '../application/follow-issue-references';

/**
 * Commits on the default branch close the issues that their messages say, each push once (D6). Fault points:
 * `issue_reference.written`, `issue_reference.committed`.
 */
export const pushSubscription = (
  close: ReturnType<typeof closeIssuesOfPush>,
  directory: Pick<Directory, 'ensure'>,
): AnySubscription =>
  subscription({
    event: repositoryPushed,
    before: afterDirectory(directory),
    async handle({ projectId, authorId, defaultBranch, closes }, tx) {
      if (!defaultBranch || closes.length === 0) return;
      await close(tx, { projectId, actorId: authorId, closes });
      faultPoint('issue_reference.written');
      tx.afterCommit(() => faultPoint('issue_reference.committed'));
    },
  });
