import type { EnsureLabels } from '@switchyard/directory';
import type { CommandSteps } from '@switchyard/texts';
import type { IssueDirectory, IssueList, IssueStore } from './issue.ports';

/** The caller, and their access to the project, or group, of the request. */
export interface IssueCaller {
  /** 0: anonymous. */
  readonly userId: number;
  readonly admin: boolean;
  readonly external: boolean;
  /** Access level there, 0 to 50. */
  readonly level: number;
  /** Licence tier that applies. */
  readonly tier: string;
  /** Id of the public request, for calls to other services. */
  readonly requestId: string;
}

/** An issue by its number. */
export interface IssueNumber {
  readonly projectId: number;
  readonly iid: number;
}

/** What the use cases of issues work with. */
export interface IssueEdges {
  readonly issues: IssueStore;
  readonly lists: IssueList;
  readonly directory: IssueDirectory;
  readonly ensureLabels: EnsureLabels;
  readonly commandSteps: CommandSteps;
  readonly clock: () => Date;
}
