import { IssueImportServiceService } from '@switchyard/protos/collaboration/v1/issue_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ImportIssues, IssueImportStore, ReserveIssueNumbers } from '../application/import-issues';

/** Items of one request. */
const maxItems = 100;

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
          issues
            .slice(0, maxItems)
            .map(({ description, milestoneIid, createdAt = new Date(0), updatedAt = createdAt, ...issue }) => ({
              ...issue,
              description: description === '' ? undefined : description,
              milestoneIid: milestoneIid === 0 ? undefined : milestoneIid,
              createdAt,
              updatedAt,
            })),
          knownBefore,
        ),
      }),
      importIssueEvents: async ({ projectId, importedFrom, events }) => ({
        imported: await imports.addEvents(
          { projectId, importedFrom },
          events.slice(0, maxItems).map(({ createdAt = new Date(0), ...event }) => ({ ...event, createdAt })),
        ),
      }),
    },
    { reserveIssueNumbers: byForges, importIssueEvents: byForges, importIssues: byForges },
  );
