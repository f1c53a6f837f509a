import type { AttachedLabel, AttachedMilestone, ProjectRow, UserRow } from '@switchyard/directory';
import type { AttachedEpic } from '../../epic-trees';
import type { Issue } from './issue';

/** An issue with everything its public representation embeds, from one statement. */
export interface IssueView {
  readonly issue: Issue;
  readonly project: ProjectRow;
  /** Users by the id the row carries; a deleted user's id gives the ghost. */
  readonly people: ReadonlyMap<number, UserRow>;
  readonly assigneeIds: readonly number[];
  readonly labels: readonly AttachedLabel[];
  readonly milestone: AttachedMilestone | undefined;
  /** The epic that it is part of, where the viewer may see that. */
  readonly epic: AttachedEpic | undefined;
  /** Merge requests that close it when they land. */
  readonly mergeRequestsCount: number;
}

/** `group/project#1`. */
export const issueReference = ({ project, issue }: Pick<IssueView, 'project' | 'issue'>): string =>
  `${project.namespace_full_path}/${project.path}#${issue.iid}`;
