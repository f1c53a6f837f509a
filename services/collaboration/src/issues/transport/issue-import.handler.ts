import {
  IssueImportServiceService,
  type ImportedIssue as IssueMessage,
} from '@switchyard/protos/collaboration/v1/issue_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ImportIssues, IssueImportStore, ReserveIssueNumbers } from '../application/import-issues';
import type { ImportedIssue } from '../domain/issue-import';

/** Items of one request. */
const maxItems = 100;

/** Copied whole before fields are replaced: V8 keeps an object that is copied in part in four times the memory. */
function toImportedIssue(issue: IssueMessage): ImportedIssue {
  const {
    description,
    milestoneIid: iid,
    milestoneTitle: title,
    createdAt = new Date(0),
    updatedAt = createdAt,
  } = issue;
  return {
    ...issue,
    description: description === '' ? undefined : description,
    milestone: { iid, title },
    createdAt,
    updatedAt,
  };
}

const byForges = { callers: ['imports-exports'] };

/** Serves `IssueImportService`. */
export const issueImportHandler = (imports: {
  readonly importIssues: ImportIssues;
  readonly reserveNumbers: ReserveIssueNumbers;
  readonly addEvents: IssueImportStore['addEvents'];
}): ServiceImplementation =>
  implement(
    IssueImportServiceService,
    {
      async reserveIssueNumbers({ projectId, highest }) {
        await imports.reserveNumbers(projectId, highest);
        return {};
      },
      importIssues: async ({ projectId, importedFrom, issues, knownBefore }) => ({
        imported: await imports.importIssues(
          { projectId, importedFrom },
          issues.slice(0, maxItems).map(toImportedIssue),
          knownBefore,
        ),
      }),
      importIssueEvents: async ({ projectId, importedFrom, events }) => ({
        imported: await imports.addEvents(
          { projectId, importedFrom },
          events.slice(0, maxItems).map((event) => ({ ...event, createdAt: event.createdAt ?? new Date(0) })),
        ),
      }),
    },
    { reserveIssueNumbers: byForges, importIssueEvents: byForges, importIssues: byForges },
  );
