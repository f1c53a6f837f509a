import { type Expectation, row } from '../expectation';

const wantedImport = { personal_access_token: 't', repo_id: 1, target_namespace: 'acme' };

const wantedCloudImport = {
  ...{ forgeb_username: 'u', forgeb_app_password: 'p', repo_path: 'octo/things', target_namespace: 'acme' },
};

const wantedServerImport = {
  ...{ personal_access_token: 't', forgeb_server_url: 'https://forge.example', forgeb_server_username: 'u' },
  ...{ forgeb_server_project: 'OCTO', forgeb_server_repo: 'things' },
};

/** Operations of the service imports-exports. */
export const rows: readonly Expectation[] = [
  // Reports and dependency list exports
  row('POST /projects/:id/pipelines/:pipeline_id/artifacts', 'developerWrite', 'G-13-10'),
  row('POST /jobs/:job_id/artifacts', 'locatedDeveloper', 'G-13-10'),
  row('POST /pipelines/:pipeline_id/dependency_list_exports', 'locatedDeveloper', 'G-4.14-2'),
  row('POST /projects/:id/dependency_list_exports', 'developerWrite', 'G-4.14-7'),
  row('POST /groups/:id/dependency_list_exports', 'developerWrite', 'G-4.14-7'),
  row('GET /dependency_list_exports/signing_key', 'everyone', 'G-4.14'),
  row('GET /dependency_list_exports/:export_id', 'locatedDeveloperRead', 'G-4.14-3'),
  row('GET /dependency_list_exports/:export_id/download', 'locatedDeveloperRead', 'G-4.14-4'),
  row('GET /dependency_list_exports/:export_id/signature', 'locatedDeveloperRead', 'G-4.14-4'),

  // Imports of projects and gists
  row('POST /import/forgea', 'userWrite', 'G-4.19-1', wantedImport),
  row('POST /import/forgeb', 'userWrite', 'G-4.19-4', wantedCloudImport),
  row('POST /import/forgeb_server', 'userWrite', 'G-4.19-5', wantedServerImport),
  row('POST /import/forgea/cancel', 'locatedOwner', 'G-4.19-2', { project_id: 1 }),
  row('POST /projects/import', 'userWrite', 'ADR 69'),
  row('GET /projects/:id/import', 'openRead', 'G-4.19-6'),
  row('POST /projects/:id/import/refresh', 'maintainerWrite', 'ADR 73', { personal_access_token: 't' }),
  row('GET /projects/:id/import/placeholders', 'ownerRead', 'ADR 67'),
  row('POST /projects/:id/import/placeholders/:placeholder_id/reassign', 'ownerWrite', 'ADR 67', { user_id: 5 }),
  row('POST /projects/:id/import/placeholders/:placeholder_id/accept', 'userWrite', 'ADR 67'),
  row('POST /projects/:id/import/placeholders/:placeholder_id/reject', 'userWrite', 'ADR 67'),
  row('POST /import/forgea/gists', 'userWrite', 'G-4.19-3', { personal_access_token: 't' }),

  // Exports of projects. They change nothing, so an archived project is exported too.
  row('POST /projects/:id/export', 'maintainerWrite', 'ADR 60'),
  row('GET /projects/:id/export', 'maintainerRead', 'ADR 60'),
  row('GET /projects/:id/export/download', 'maintainerRead', 'ADR 60'),
];
