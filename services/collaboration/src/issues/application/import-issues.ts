import { notFound } from '@switchyard/errors';
import { countTasks, displayText, shortLine } from '@switchyard/texts';
import { issueFieldProblems } from '../domain/issue';
import type { ImportedIssue, ImportedIssueEvent, ImportKey } from '../domain/issue-import';
import type { IssueEdges } from './issue.edges';

/** Imported issues in the database. */
export interface IssueImportStore {
  /**
   * Inserts issues in one transaction; those whose number the project has already stay. Of a refresh they get what
   * changed at the forge and not here, and those that were made before `knownBefore` and are not there stay away. Returns
   * how many are left to nobody else: all but those whose number another issue has.
   */
  addIssues(key: ImportKey, issues: readonly ImportedIssue[], knownBefore?: Date): Promise<number>;
  /** Has issues that are made in a project from now on numbered above a number. */
  reserve(projectId: number, highest: number): Promise<void>;
  /** Adds events of imported issues by number; returns how many are there now. */
  addEvents(key: ImportKey, events: readonly ImportedIssueEvent[]): Promise<number>;
}

/** What imports need. */
export interface IssueImportEdges {
  readonly directory: Pick<IssueEdges['directory'], 'project'>;
  readonly imports: IssueImportStore;
}

const isIssue = ({ iid, authorId, title, description, createdAt, updatedAt }: ImportedIssue): boolean =>
  iid > 0 && authorId > 0 && Object.keys(issueFieldProblems({ title, description, createdAt, updatedAt })).length === 0;

/** Issues that come in from elsewhere (G-4.19). */
export const importIssues =
  ({ directory, imports }: IssueImportEdges) =>
  /** Adds issues; returns how many of them the project has now. Fails with `not_found` for the project. */
  async (key: ImportKey, given: readonly ImportedIssue[], knownBefore?: Date): Promise<number> => {
    if ((await directory.project(key.projectId)) === undefined) throw notFound('Project');
    const made = given
      .map((issue) => ({ ...issue, title: shortLine(issue.title) }))
      .filter(isIssue)
      .map((issue) => {
        const tasks = countTasks(issue.description);
        // Labels as their owner stores them, so that their titles are found.
        const labels = issue.labels.map(displayText);
        return { ...issue, labels, taskCount: tasks.count, completedTaskCount: tasks.completed };
      });
    return imports.addIssues(key, made, knownBefore);
  };

/** Numbers of issues that come in later. */
export const reserveIssueNumbers =
  ({ directory, imports }: IssueImportEdges) =>
  /** Keeps numbers for them: what is made meanwhile gets higher ones. Fails with `not_found` for the project. */
  async (projectId: number, highest: number): Promise<void> => {
    if ((await directory.project(projectId)) === undefined) throw notFound('Project');
    if (highest > 0) await imports.reserve(projectId, highest);
  };

/** What `reserveIssueNumbers` gives. */
export type ReserveIssueNumbers = ReturnType<typeof reserveIssueNumbers>;

/** What `importIssues` gives. */
export type ImportIssues = ReturnType<typeof importIssues>;
