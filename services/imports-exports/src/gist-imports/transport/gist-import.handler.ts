import { GistImportServiceService } from '@switchyard/protos/imports_exports/v1/gist_import';
import { implement, nothing, type ServiceImplementation, signedIn } from '@switchyard/rpc';
import type { StartGistImports } from '../application/start-import';

/** Serves `GistImportService`. */
export const gistImportHandler = (imports: StartGistImports): ServiceImplementation =>
  implement(GistImportServiceService, {
    async startGistImport({ personalAccessToken, hostname }, context) {
      await imports.start(signedIn(context).actor.userId, hostname, personalAccessToken);
      return nothing(202);
    },
  });
