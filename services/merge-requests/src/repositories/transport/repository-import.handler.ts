import { invalidParams } from '@switchyard/errors';
import { RepositoryImportServiceService } from '@switchyard/protos/merge_requests/v1/repository_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { importBundle } from '../application/import-bundle';
import type { importRepository } from '../application/import-repository';

/** RepositoryImportService. */
export const repositoryImportHandler = (
  run: ReturnType<typeof importRepository>,
  bundle: ReturnType<typeof importBundle>,
): ServiceImplementation =>
  implement(
    RepositoryImportServiceService,
    {
      async importRepository({ url, authorization, headsPattern, ...target }, { signal }) {
        if (!/^(refs\/[\w-]+\/\*\/[\w-]+)?$/.test(headsPattern)) throw invalidParams('heads_pattern is invalid');
        return run(target, { url, authorization, headsPattern, wiki: false, signal });
      },
      importWiki: ({ projectId, ...source }, { signal }) =>
        run({ projectId, actorId: 0 }, { ...source, headsPattern: '', wiki: true, signal }),
      importBundle: ({ importKey, ...place }, { signal }) => bundle(place, { importKey, wiki: false }, signal),
      importWikiBundle: ({ importKey, projectId }, { signal }) =>
        bundle({ projectId, actorId: 0 }, { importKey, wiki: true }, signal),
    },
    {
      importRepository: { callers: ['imports-exports'] },
      importWiki: { callers: ['imports-exports'] },
      importBundle: { callers: ['imports-exports'] },
      importWikiBundle: { callers: ['imports-exports'] },
    },
  );
