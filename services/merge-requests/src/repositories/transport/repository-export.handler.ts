import { isAppError } from '@switchyard/errors';
import { RepositoryExportServiceService } from '@switchyard/protos/merge_requests/v1/repository_export';
import { type CallContext, implement, type ServiceImplementation } from '@switchyard/rpc';
import { bundleRepository, type Repository } from '../../git';
import type { OpenProjectRepository } from '../application/open-project-repository';
import type { Wikis } from '../application/wikis';
import { streamAsGitWork } from './as-git-work';

/** gRPC side of repositories on their way out. */
export function repositoryExportHandler(
  open: OpenProjectRepository,
  wikis: Pick<Wikis, 'find'>,
): ServiceImplementation {
  /** A bundle of what there is. */
  const bundle = (context: CallContext, find: () => Promise<Repository>) =>
    streamAsGitWork(context, async function* () {
      const found = await find().catch((error) => {
        if (isAppError(error, 'not_found')) return undefined;
        throw error;
      });
      if (found !== undefined) for await (const data of bundleRepository(found)) yield { data };
    });

  return implement(
    RepositoryExportServiceService,
    {
      bundleRepository: ({ projectId }, context) => bundle(context, async () => (await open(projectId)).repo),
      bundleWiki: ({ projectId }, context) => bundle(context, () => wikis.find(projectId)),
    },
    { bundleRepository: { callers: ['imports-exports'] }, bundleWiki: { callers: ['imports-exports'] } },
  );
}
