import type { Viewer } from '@switchyard/directory';
import type { IssueFilter } from './issue-filter';

/** Which issues a list is about; in a project, at the level the viewer has there. */
export type IssueScope =
  | { readonly projectId: number; readonly level: number }
  | { readonly groupId: number }
  | { readonly epicId: number }
  | { readonly mergeRequest: { readonly projectId: number; readonly iid: number }; readonly closing: boolean }
  | 'all';

/** What lists of issues are asked for. */
export interface IssueQuery {
  readonly scope: IssueScope;
  readonly filter: IssueFilter;
  readonly viewer: Viewer;
}

/** Which issue. */
export type IssueKey = { readonly id: number } | { readonly projectId: number; readonly iid: number };

/** The viewer, and their level in the project where that is known already. */
export type IssueViewer = Viewer & { readonly level?: number };

/** Numbers of issues; each stops at 10,001. */
export interface IssueCounts {
  readonly all: number;
  readonly opened: number;
  readonly closed: number;
}
