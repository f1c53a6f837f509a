/** What issues need of a project. */
export interface IssueProject {
  readonly id: number;
  readonly archived: boolean;
  readonly issuesEnabled: boolean;
}

/** A project as references and merges ask for it. */
export interface ReferringProject {
  readonly id: number;
  readonly namespacePath: string;
  readonly defaultBranch: string | undefined;
}
