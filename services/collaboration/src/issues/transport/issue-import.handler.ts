import { IssueImportServiceService } from '@switchyard/protos/collaboration/v1/issue_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ImportIssues } from '../application/import-issues';

/** Items of one request. */
const maxItems = 100;

const rule = { callers: ['imports-exports'] };

/** Serves `IssueImportService`. */
export const issueImportHandler = (imports: ImportIssues): ServiceImplementation =>
  implement(
    IssueImportServiceService,
    {
      importIssues: async ({ projectId, importedFrom, issues }) => ({
        imported: await imports.issues(
          { projectId, importedFrom },
          issues
            .slice(0, maxItems)
            .map(({ description, milestoneIid, createdAt = new Date(0), updatedAt = createdAt, ...issue }) => ({
              ...issue,
              description: description === '' ? undefined : description,
              milestoneIid: milestoneIid === 0 ? undefined : milestoneIid,
              createdAt,
              updatedAt,
            })),
        ),
      }),
      importIssueNotes: async ({ projectId, importedFrom, notes }) => ({
        imported: await imports.notes(
          { projectId, importedFrom },
          notes
            .slice(0, maxItems)
            .map(({ createdAt = new Date(0), updatedAt = createdAt, ...note }) => ({ ...note, createdAt, updatedAt })),
        ),
      }),
    },
    { importIssues: rule, importIssueNotes: rule },
  );
