import { invalidParams } from '@switchyard/errors';
import { RepositoryImportServiceService } from '@switchyard/protos/merge_requests/v1/repository_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { importRepository } from '../application/import-repository';

/** RepositoryImportService. */
export const repositoryImportHandler = (run: ReturnType<typeof importRepository>): ServiceImplementation =>
  implement(
    RepositoryImportServiceService,
    {
      async importRepository({ url, authorization, headsPattern, ...target }, { signal }) {
        if (!/^(refs\/[\w-]+\/\*\/[\w-]+)?$/.test(headsPattern)) throw invalidParams('heads_pattern is invalid');
        return run(target, { url, authorization, headsPattern, signal });
      },
    },
    { importRepository: { callers: ['imports-exports'] } },
  );
