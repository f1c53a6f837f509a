import { repeat } from '@switchyard/background';
import type { IssueStore } from './issue.ports';

/** Milliseconds between two purges: what is purged is hidden already, so it is not urgent. */
const interval = 60_000;

/** Issues one statement removes; keeps its locks short. */
const batch = 500;

/** Purges the issues of deleted projects (D5) and the assignments of deleted users, now and every minute. */
export const purgeIssues = (issues: Pick<IssueStore, 'removeOrphans'>) =>
  repeat('issues of deleted projects', interval, async (stopping) => {
    while (!stopping.aborted && (await issues.removeOrphans(batch)) > 0);
  });
