import { GistImportServiceService } from '@switchyard/protos/imports_exports/v1/gist_import';
import { mutuallyExclusive } from '../../http/check-parameters';
import { defineRoute } from '../../http/route';
import { forgeToken, hostname } from './project-imports.routes';

/** Imports of gists (G-4.19-3), under both names of the forge (G-13-1). */
export const gistImportRoutes = [
  defineRoute({
    method: 'post',
    path: '/import/forgea/gists',
    otherPath: '/import/github/gists',
    section: 'Imports',
    summary: 'Import gists from forgea as personal snippets',
    docs: {
      description:
        'The gists of the owner of the token, with up to 10 files each; a mail lists those that were not imported. What was imported before stays as it is.',
      example: { personal_access_token: 'token' },
      fails: [401, 422, 429],
    },
    access: 'user',
    limit: 'forgea_import',
    params: { personal_access_token: forgeToken(), forgea_hostname: hostname(), github_hostname: hostname() },
    relations: [mutuallyExclusive('forgea_hostname', 'github_hostname')],
    returns: { 202: undefined },
    handle: ({ params: given, call }) =>
      call(GistImportServiceService).startGistImport({
        personalAccessToken: given.personal_access_token.trim(),
        hostname: (given.forgea_hostname ?? given.github_hostname ?? '').trim(),
      }),
  }),
];
