import { decideDeletion } from '../domain/issue-change';
import type { IssueStore } from './issue.ports';

/** Issues of a user who was deleted with what they wrote: each is deleted with everything on it. No user does it. */
export const authoredIssues = (issues: Pick<IssueStore, 'authoredBy' | 'change'>) => ({
  name: 'issues',
  of: (userId: number) => ({
    next: (after: number, limit: number) => issues.authoredBy(userId, after, limit),
    work: ({ id }: { readonly id: number }) => issues.change(id, 0, (locked) => decideDeletion(locked, undefined)),
  }),
});
