import type { Issue } from './issue';

/** A user as public objects embed it (G-2-1). */
export interface IssuePerson {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly state: string;
  readonly avatar_url: string | null;
  readonly public_email: string | null;
}

/** Where an issue's project lies. */
interface IssueProject {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly namespace_id: number;
  readonly namespace_full_path: string;
  readonly namespace_full_name: string;
  readonly visibility: string;
}

interface IssueLabel {
  readonly id: number;
  readonly title: string;
  readonly color: string;
  readonly description: string | null;
}

interface IssueMilestone {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly group_path: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly state: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly due_date: string | null;
  readonly start_date: string | null;
}

/** An issue with everything its public representation embeds, from one statement. */
export interface IssueView {
  readonly issue: Issue;
  readonly project: IssueProject;
  /** Users by the id the row carries; a deleted user's id gives the ghost. */
  readonly people: ReadonlyMap<number, IssuePerson>;
  readonly assigneeIds: readonly number[];
  readonly labels: readonly IssueLabel[];
  readonly milestone: IssueMilestone | undefined;
  /** Merge requests that close it when they land. */
  readonly mergeRequestsCount: number;
}

/** `group/project#1`. */
export const issueReference = ({ project, issue }: Pick<IssueView, 'project' | 'issue'>): string =>
  `${project.namespace_full_path}/${project.path}#${issue.iid}`;
