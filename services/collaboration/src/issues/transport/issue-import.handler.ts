import { IssueImportServiceService } from '@switchyard/protos/collaboration/v1/issue_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ImportIssues } from '../application/import-issues';

/** Items of one request. */
const maxItems = 100;

/** Serves `IssueImportService`. */
export const issueImportHandler = (imports: ImportIssues): ServiceImplementation =>
  implement(
    IssueImportServiceService,
    {
      importIssues: async ({ projectId, importedFrom, issues }) => ({
        imported: await imports(
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
    },
    { importIssues: { callers: ['imports-exports'] } },
  );
