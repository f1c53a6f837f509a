import { RepositoryImportServiceService } from '@switchyard/protos/merge_requests/v1/repository_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { importRepository } from '../application/import-repository';

/** RepositoryImportService. */
export const repositoryImportHandler = (run: ReturnType<typeof importRepository>): ServiceImplementation =>
  implement(
    RepositoryImportServiceService,
    {
      importRepository: ({ url, authorization, ...target }, { signal }) => run(target, { url, authorization, signal }),
    },
    { importRepository: { callers: ['imports-exports'] } },
  );
