import { ReleaseImportServiceService } from '@switchyard/protos/merge_requests/v1/release_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { importReleases } from '../application/import-releases';

/** Releases of one request. */
const maxItems = 100;

/** Serves `ReleaseImportService`. */
export const releaseImportHandler = (run: ReturnType<typeof importReleases>): ServiceImplementation =>
  implement(
    ReleaseImportServiceService,
    {
      importReleases: async ({ projectId, releases }) => ({
        imported: await run(
          projectId,
          releases.slice(0, maxItems).map((one) => {
            const { createdAt = new Date(0), releasedAt = createdAt } = one;
            return { ...one, createdAt, releasedAt };
          }),
        ),
      }),
    },
    { importReleases: { callers: ['imports-exports'] } },
  );
