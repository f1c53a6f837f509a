import { ProjectImportServiceService } from '@switchyard/protos/imports_exports/v1/project_import';
import { mutuallyExclusive } from '../../http/check-parameters';
import { defineRoute } from '../../http/route';
import { cloudCredentials, secrets, sent, serverUsernames, serverUsers, usernames } from './forgeb-imports.routes';
import { forgeToken } from './project-imports.routes';

/** Imports of projects from forges that are done again (ADR 73). */
export const importRefreshRoutes = [
  defineRoute({
    method: 'post',
    path: '/projects/:id/import/refresh',
    section: 'Imports',
    summary: 'Refresh an imported project',
    docs: {
      description:
        'Does the import of a project from a forge again: what is new there comes over, and what changed there and not here. `GET /projects/:id/import` says how it stands. Each kind of forge takes the credentials that its import takes: forgea `personal_access_token`, the cloud of forgeb a user and a password or API token, a server of forgeb its user and `personal_access_token`. An import that runs answers 400. The caller needs the role Maintainer.',
      example: { personal_access_token: 'token' },
      fails: [401, 404, 422, 429],
    },
    access: { project: 'refresh_import' },
    limit: 'forgeb_import',
    params: { personal_access_token: forgeToken().optional(), ...cloudCredentials(), ...serverUsers() },
    relations: [mutuallyExclusive(...usernames), mutuallyExclusive(...secrets), mutuallyExclusive(...serverUsernames)],
    returns: { 201: 'ImportedProject' },
    handle: ({ access, params: given, call }) =>
      call(ProjectImportServiceService).refreshProjectImport({
        projectId: access.id,
        personalAccessToken: sent(given.personal_access_token),
        username: sent(...usernames.map((name) => given[name])),
        password: sent(...secrets.map((name) => given[name])),
        serverUsername: sent(...serverUsernames.map((name) => given[name])),
      }),
  }),
];
