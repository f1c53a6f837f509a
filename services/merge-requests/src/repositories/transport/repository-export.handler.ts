import { isAppError } from '@switchyard/errors';
import { RepositoryExportServiceService } from '@switchyard/protos/merge_requests/v1/repository_export';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import { bundleRepository } from '../../git';
import type { OpenProjectRepository } from '../application/open-project-repository';
import { streamAsGitWork } from './as-git-work';

/** gRPC side of repositories on their way out. */
export const repositoryExportHandler = (open: OpenProjectRepository): ServiceImplementation =>
  implement(
    RepositoryExportServiceService,
    {
      bundleRepository: ({ projectId }, context) =>
        streamAsGitWork(context, async function* () {
          const found = await open(projectId).catch((error) => {
            if (isAppError(error, 'not_found')) return undefined;
            throw error;
          });
          if (found !== undefined) for await (const data of bundleRepository(found.repo)) yield { data };
        }),
    },
    { bundleRepository: { callers: ['imports-exports'] } },
  );
