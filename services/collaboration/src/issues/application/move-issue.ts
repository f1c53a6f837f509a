import { fullPath } from '@switchyard/directory';
import { invalid, notFound } from '@switchyard/errors';
import { relocated } from '@switchyard/texts';
import { seesInternal } from '../../noteables';
import { mayAdminIssue } from '../domain/issue';
import { decideMove } from '../domain/issue-move';
import type { IssueCaller, IssueEdges, IssueNumber } from './issue.edges';
import { type IssueDetails, readIssueById, visibleIssue } from './read-issue';

/**
 * Moves an issue to another project. A new issue takes its place there, with the labels and the milestone of the same
 * titles and with those assignees who see the project. References by number in description and notes become full paths.
 * Internal notes are not copied when the caller may not read them. Returns the new issue.
 * @throws AppError not_found; invalid where the caller may not manage issues in both projects; conflict when it was
 * moved in the meantime
 */
export const moveIssue =
  (edges: IssueEdges) =>
  async (caller: IssueCaller, key: IssueNumber, toProjectId: number): Promise<IssueDetails> => {
    const view = await visibleIssue(edges, caller, key);
    const { userId, admin, external } = caller;
    const [project, level] = await Promise.all([
      edges.directory.project(toProjectId),
      edges.directory.levelIn({ userId, admin, external }, toProjectId),
    ]);
    if (project === undefined || level === undefined) throw notFound('Project');
    if (toProjectId === key.projectId) throw invalid('Cannot move issue to project it originates from!');
    const allowed =
      mayAdminIssue(caller) && mayAdminIssue({ userId, admin, level }) && project.issuesEnabled && !project.archived;
    if (!allowed || view.issue.movedToId !== undefined) {
      throw invalid('Cannot move issue due to insufficient permissions!');
    }
    const [labelIds, milestoneId, readers] = await Promise.all([
      edges.directory.labelsByTitles(
        toProjectId,
        view.labels.map(({ title }) => title),
      ),
      view.milestone && edges.directory.milestoneByTitle(toProjectId, view.milestone.title),
      edges.directory.readers(toProjectId, view.assigneeIds),
    ]);
    const oldPath = fullPath(view.project);
    const copy = { internal: seesInternal(caller), rewritten: (text: string): string => relocated(text, oldPath) };
    const target = { projectId: toProjectId, labelIds, milestoneId, readers };
    const now = edges.clock();
    const { id } = await edges.issues.change(view.issue.id, userId, (locked) =>
      decideMove(locked, target, { actorId: userId, copy, now }),
    );
    return readIssueById(edges)(caller, id);
  };
