import { type Expectation, type FamilyName, row } from '../expectation';

/** What npm reads at each of its registries, by the families of a read, of an audit and of what needs a token. */
const npmRows = (path: string, [read, audit, own]: readonly [FamilyName, FamilyName, FamilyName]): Expectation[] => [
  row(`GET ${path}/*package_name`, read, 'G-4.17-14'),
  row(`GET ${path}/-/package/*package_name/dist-tags`, read, 'G-4.17-15'),
  row(`GET ${path}/-/v1/search`, read, 'G-4.17-14'),
  row(`GET ${path}/-/ping`, read, 'G-4.17-14'),
  row(`GET ${path}/-/whoami`, own, 'G-4.17-14'),
  row(`POST ${path}/-/npm/v1/security/advisories/bulk`, audit, 'G-4.17-14'),
  row(`POST ${path}/-/npm/v1/security/audits/quick`, audit, 'G-4.17-14'),
];

/** Operations of the service packages. */
export const rows: readonly Expectation[] = [
  // Packages
  row('GET /projects/:id/packages', 'reporterRead', 'G-4.17-8'),
  row('GET /groups/:id/packages', 'openRead', 'G-4.17-8'),
  row('GET /projects/:id/packages/:package_id', 'reporterRead', 'G-4.17-8'),
  row('DELETE /projects/:id/packages/:package_id', 'maintainerWrite', 'G-4.17-2'),
  row('GET /projects/:id/packages/:package_id/pipelines', 'reporterRead', 'G-4.17-1'),
  row('GET /projects/:id/packages/:package_id/package_files', 'reporterRead', 'G-4.17-8'),
  row('GET /projects/:id/packages/:package_id/package_files/:package_file_id/download', 'reporterRead', 'G-4.17-6'),
  row('DELETE /projects/:id/packages/:package_id/package_files/:package_file_id', 'maintainerWrite', 'G-4.17-3'),
  row('GET /projects/:id/packages/cleanup/policy', 'maintainerRead', 'G-4.17-8'),
  row('PATCH /projects/:id/packages/cleanup/policy', 'maintainerWrite', 'G-4.17-8', { keep_n_versions: 1 }),
  row('GET /groups/:id/packages/settings', 'ownerRead', 'G-4.17-10'),
  row('PATCH /groups/:id/packages/settings', 'ownerWrite', 'G-4.17-10', { generic_duplicates_allowed: false }),
  row('GET /projects/:id/packages/protection/rules', 'maintainerRead', 'G-4.17-2'),
  row('POST /projects/:id/packages/protection/rules', 'maintainerWrite', 'G-4.17-2', {
    package_name_pattern: 'x',
    package_type: 'npm',
  }),
  row('PATCH /projects/:id/packages/protection/rules/:package_protection_rule_id', 'maintainerWrite', 'G-4.17-2'),
  row('DELETE /projects/:id/packages/protection/rules/:package_protection_rule_id', 'maintainerWrite', 'G-4.17-2'),
  row('PUT /projects/:id/packages/generic/:package_name/:package_version/*file_path', 'developerWrite', 'G-4.17-10'),
  row('GET /projects/:id/packages/generic/:package_name/:package_version/*file_path', 'managerRead', 'G-4.17-11'),
  row('PUT /projects/:id/packages/maven/*path', 'developerWrite', 'G-4.17-8'),
  row('GET /projects/:id/packages/maven/*path', 'managerRead', 'G-4.17-8'),
  row('GET /groups/:id/-/packages/maven/*path', 'groupManagerRead', 'G-4.17-8'),
  row('GET /packages/maven/*path', 'everyone', 'G-4.17-8'),
  row('POST /projects/:id/packages/pypi', 'developerWrite', 'G-4.17-8'),
  row('PUT /projects/:id/packages/pypi/yanks/:package_name/:package_version', 'developerWrite', 'G-4.17-8'),
  row('DELETE /projects/:id/packages/pypi/yanks/:package_name/:package_version', 'developerWrite', 'G-4.17-8'),
  row('GET /projects/:id/packages/pypi/simple', 'managerRead', 'G-4.17-8'),
  row('GET /projects/:id/packages/pypi/simple/*name', 'managerRead', 'G-4.17-8'),
  row('GET /projects/:id/packages/pypi/files/:sha256/*file_identifier', 'managerRead', 'G-4.17-8'),
  row('GET /groups/:id/-/packages/pypi/simple', 'groupManagerRead', 'G-4.17-8'),
  row('GET /groups/:id/-/packages/pypi/simple/*name', 'groupManagerRead', 'G-4.17-8'),
  row('GET /groups/:id/-/packages/pypi/files/:sha256/*file_identifier', 'groupManagerRead', 'G-4.17-8'),
  row('POST /projects/:id/packages/helm/api/:channel/charts', 'developerWrite', 'G-4.17-8'),
  row('GET /projects/:id/packages/helm/:channel/index.yaml', 'managerRead', 'G-4.17-8'),
  row('GET /projects/:id/packages/helm/:channel/charts/:file_name', 'managerRead', 'G-4.17-8'),
  row('GET /projects/:id/packages/go/*module_name/@v/list', 'managerRead', 'G-4.17-8'),
  row('GET /projects/:id/packages/go/*module_name/@latest', 'managerRead', 'G-4.17-8'),
  row('GET /projects/:id/packages/go/*module_name/@v/:module_version.info', 'managerRead', 'G-4.17-8'),
  row('GET /projects/:id/packages/go/*module_name/@v/:module_version.mod', 'managerRead', 'G-4.17-8'),
  row('GET /projects/:id/packages/go/*module_name/@v/:module_version.zip', 'managerRead', 'G-4.17-8'),
  ...npmRows('/projects/:id/packages/npm', ['managerRead', 'readerWrite', 'readerNotes']),
  ...npmRows('/groups/:id/-/packages/npm', ['groupManagerRead', 'seerWrite', 'seerNotes']),
  ...npmRows('/packages/npm', ['everyone', 'everyone', 'userRead']),
  row('GET /projects/:id/packages/npm/*package_name/-/*file_name', 'managerRead', 'G-4.17-15'),
  row('PUT /projects/:id/packages/npm/*package_name', 'developerWrite', 'G-4.17-13'),
  row('PUT /projects/:id/packages/npm/*package_name/-rev/:revision', 'maintainerWrite', 'G-4.17-8'),
  row('DELETE /projects/:id/packages/npm/*package_name/-rev/:revision', 'maintainerWrite', 'G-4.17-8'),
  row('PUT /projects/:id/packages/npm/-/package/*package_name/dist-tags/:tag', 'developerWrite', 'G-4.17-15'),
  row('DELETE /projects/:id/packages/npm/-/package/*package_name/dist-tags/:tag', 'maintainerWrite', 'G-4.17-15'),

  // Files that texts link to
  row('POST /projects/:id/uploads', 'seerWrite', 'ADR 79'),
  row('GET /projects/:id/uploads', 'maintainerRead', 'ADR 79'),
  row('GET /projects/:id/uploads/:upload_id', 'maintainerRead', 'ADR 79'),
  row('DELETE /projects/:id/uploads/:upload_id', 'maintainerWrite', 'ADR 79'),
  row('GET /projects/:id/uploads/:secret/:filename', 'openRead', 'ADR 79'),
  row('DELETE /projects/:id/uploads/:secret/:filename', 'maintainerWrite', 'ADR 79'),
];

/** Operations that npm reads its registry at a path with. */
export const npmOperations = (path: string): string[] =>
  npmRows(path, ['everyone', 'everyone', 'everyone']).map(({ operation }) => operation);
