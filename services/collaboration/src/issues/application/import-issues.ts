import { notFound } from '@switchyard/errors';
import { countTasks, displayText, oneLine } from '@switchyard/texts';
import { issueFieldProblems } from '../domain/issue';
import type { ImportedIssue, ImportedNote, ImportKey } from '../domain/issue-import';
import type { IssueEdges } from './issue.edges';

/** Longest text of a note in characters (api.md 8). */
const maxBody = 1_000_000;

/** Imported issues in the database. */
export interface IssueImportStore {
  /**
   * Inserts issues in a transaction each; those whose number the project has already stay. Returns how many of them
   * there are now: not those whose number another issue has.
   */
  addIssues(key: ImportKey, issues: readonly ImportedIssue[]): Promise<number>;
  /** Inserts comments to imported issues, each once; returns how many of them there are now. */
  addNotes(key: ImportKey, notes: readonly ImportedNote[]): Promise<number>;
}

/** What imports need. */
export interface IssueImportEdges {
  readonly directory: Pick<IssueEdges['directory'], 'project'>;
  readonly imports: IssueImportStore;
}

/** Characters of a title (G-8-5); forges allow more. */
const maxTitle = 255;

/** A title of another system as it can be stored here. */
function titleOf(given: string): string {
  const characters = [...oneLine(given)];
  return characters.length <= maxTitle ? characters.join('') : `${characters.slice(0, maxTitle - 1).join('')}…`;
}

const isIssue = ({ iid, authorId, title, description, createdAt, updatedAt }: ImportedIssue): boolean =>
  iid > 0 && authorId > 0 && Object.keys(issueFieldProblems({ title, description, createdAt, updatedAt })).length === 0;

const isNote = ({ body, authorId, createdAt, updatedAt }: ImportedNote): boolean =>
  authorId > 0 &&
  body.trim() !== '' &&
  body.length <= maxBody &&
  Object.keys(issueFieldProblems({ createdAt, updatedAt })).length === 0;

/** Issues and comments that come in from another forge (G-4.19). Both fail with `not_found` for the project. */
export function importIssues({ directory, imports }: IssueImportEdges) {
  const require = async ({ projectId }: ImportKey): Promise<void> => {
    if ((await directory.project(projectId)) === undefined) throw notFound('Project');
  };
  return {
    /** Adds issues; returns how many of them the project has now. */
    async issues(key: ImportKey, given: readonly ImportedIssue[]): Promise<number> {
      await require(key);
      const made = given
        .map((issue) => ({ ...issue, title: titleOf(issue.title) }))
        .filter(isIssue)
        .map((issue) => {
          const tasks = countTasks(issue.description);
          // Labels as their owner stores them, so that their titles are found.
          const labels = issue.labels.map(displayText);
          return { ...issue, labels, taskCount: tasks.count, completedTaskCount: tasks.completed };
        });
      return imports.addIssues(key, made);
    },

    /** Adds comments; returns how many of them the project has now. */
    async notes(key: ImportKey, given: readonly ImportedNote[]): Promise<number> {
      await require(key);
      const made = given.filter(isNote);
      return made.length === 0 ? 0 : imports.addNotes(key, made);
    },
  };
}

/** What `importIssues` gives. */
export type ImportIssues = ReturnType<typeof importIssues>;
