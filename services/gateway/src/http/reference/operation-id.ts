import type { Route } from '../route';

/** Names that the rule below would give twice, or that would say too little. */
const named: Readonly<Record<string, string>> = {
  'GET /user': 'getCurrentUser',
  'GET /user/emails': 'listOwnEmails',
  'POST /user/emails': 'createOwnEmail',
  'GET /user/emails/:email_id': 'getOwnEmail',
  'DELETE /user/emails/:email_id': 'deleteOwnEmail',
  'GET /user/status': 'getOwnStatus',
  'PUT /user/status': 'setOwnStatus',
  'PATCH /user/status': 'updateOwnStatus',
  'GET /service_accounts': 'listServiceAccounts',
  'GET /projects/:id/repository/archive.tar.gz': 'getProjectRepositoryArchiveTarGzip',
  'GET /projects/:id/repository/archive.tar.bz2': 'getProjectRepositoryArchiveTarBzip',
  'GET /projects/:id/repository/archive.zip': 'getProjectRepositoryArchiveZip',
  'POST /projects/:id/repository/commits/:sha/cherry_pick': 'cherryPickProjectRepositoryCommit',
  'POST /projects/:id/repository/commits/:sha/revert': 'revertProjectRepositoryCommit',
  'DELETE /groups/:id/service_accounts/:user_id/personal_access_tokens/:token_id':
    'revokeGroupServiceAccountPersonalAccessToken',
  'POST /user/personal_access_tokens': 'createOwnPersonalAccessToken',
  'GET /personal_access_tokens/self': 'getCurrentPersonalAccessToken',
  'DELETE /personal_access_tokens/self': 'revokeCurrentPersonalAccessToken',
  'POST /personal_access_tokens/self/rotate': 'rotateCurrentPersonalAccessToken',
  'DELETE /personal_access_tokens/:token_id': 'revokePersonalAccessToken',
  'GET /user/keys': 'listOwnSshKeys',
  'GET /user/keys/:key_id': 'getOwnSshKey',
  'POST /user/keys': 'createOwnSshKey',
  'DELETE /user/keys/:key_id': 'deleteOwnSshKey',
  'GET /keys': 'lookUpKeyByFingerprint',
  'GET /keys/:key_id': 'lookUpKey',
  'GET /namespaces/:id/exists': 'checkNamespaceExists',
  'GET /groups/:id/members/all': 'listGroupMembersWithInherited',
  'GET /groups/:id/members/all/:user_id': 'getGroupMemberWithInherited',
  'GET /projects/:id/members/all': 'listProjectMembersWithInherited',
  'GET /projects/:id/members/all/:user_id': 'getProjectMemberWithInherited',
  'POST /projects/user/:user_id': 'createProjectForUser',
  'POST /import/forgea': 'importForgeaProject',
  'POST /import/forgea/cancel': 'cancelForgeaImport',
  'POST /import/forgea/gists': 'importForgeaGists',
  'POST /import/forgeb': 'importForgebProject',
  'POST /import/forgeb_server': 'importForgebServerProject',
  'POST /projects/:id/fork/:forked_from_id': 'createProjectForkRelation',
  'DELETE /projects/:id/fork': 'deleteProjectForkRelation',
  'POST /topics/merge': 'mergeTopics',
  'GET /avatar': 'findAvatar',
  'PUT /user/avatar': 'setOwnAvatar',
  'PUT /groups/:id/labels': 'updateGroupLabelByName',
  'DELETE /groups/:id/labels': 'deleteGroupLabelByName',
  'PUT /projects/:id/labels': 'updateProjectLabelByName',
  'DELETE /projects/:id/labels': 'deleteProjectLabelByName',
  'POST /todos/mark_as_done': 'markAllTodosAsDone',
  'POST /todos/:id/mark_as_done': 'markTodoAsDone',
  'GET /projects/:id/pipelines/latest': 'getLatestProjectPipeline',
  'POST /projects/:id/statuses/:sha': 'setProjectCommitStatus',
  'GET /projects/:id/merge_trains': 'listProjectMergeTrainEntries',
  'GET /projects/:id/merge_trains/:target_branch': 'listProjectBranchMergeTrainEntries',
  'GET /projects/:id/merge_trains/:target_branch/events': 'followProjectBranchMergeTrain',
  'GET /projects/:id/merge_trains/merge_requests/:merge_request_iid': 'getProjectMergeTrainEntry',
  'POST /projects/:id/merge_trains/merge_requests/:merge_request_iid': 'addProjectMergeRequestToMergeTrain',
  'DELETE /projects/:id/merge_trains/merge_requests/:merge_request_iid': 'removeProjectMergeRequestFromMergeTrain',
  'GET /projects/:id/merge_trains/merge_requests/:merge_request_iid/receipt': 'getProjectMergeTrainReceipt',
  'POST /projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds':
    'cancelProjectMergeRequestAutoMerge',
  'POST /groups/:id/epics/:epic_iid/issues/:epic_issue_id': 'assignGroupEpicIssue',
  'GET /groups/:id/epics/:epic_iid/epics': 'listGroupChildEpics',
  'POST /groups/:id/epics/:epic_iid/epics': 'createGroupChildEpic',
  'POST /groups/:id/epics/:epic_iid/epics/:child_epic_id': 'assignGroupChildEpic',
  'PUT /groups/:id/epics/:epic_iid/epics/:child_epic_id': 'moveGroupChildEpic',
  'DELETE /groups/:id/epics/:epic_iid/epics/:child_epic_id': 'removeGroupChildEpic',
  'POST /groups/:id/epics/:epic_iid/related_epics': 'linkGroupRelatedEpic',
  'DELETE /groups/:id/epics/:epic_iid/related_epics/:related_epic_link_id': 'unlinkGroupRelatedEpic',
  'POST /projects/:id/hooks/:hook_id/test/:trigger': 'testProjectHook',
  'POST /groups/:id/hooks/:hook_id/test/:trigger': 'testGroupHook',
  'POST /hooks/:hook_id/test/:trigger': 'testHookByTrigger',
  'POST /hooks/:hook_id': 'testHook',
  'PUT /projects/:id/packages/maven/*path': 'publishProjectMavenFile',
  'GET /projects/:id/packages/maven/*path': 'getProjectMavenFile',
  'GET /groups/:id/-/packages/maven/*path': 'getGroupMavenFile',
  'GET /packages/maven/*path': 'getMavenFile',
  'POST /projects/:id/packages/pypi': 'publishProjectPypiFile',
  'GET /projects/:id/packages/pypi/simple': 'listProjectPypiPackages',
  'GET /projects/:id/packages/pypi/simple/*name': 'getProjectPypiPackage',
  'GET /projects/:id/packages/pypi/files/:sha256/*file_identifier': 'getProjectPypiFile',
  'GET /groups/:id/-/packages/pypi/simple': 'listGroupPypiPackages',
  'GET /groups/:id/-/packages/pypi/simple/*name': 'getGroupPypiPackage',
  'GET /groups/:id/-/packages/pypi/files/:sha256/*file_identifier': 'getGroupPypiFile',
  'GET /projects/:id/packages/go/*module_name/@v/list': 'listProjectGoModuleVersions',
  'GET /projects/:id/packages/go/*module_name/@latest': 'getProjectGoModuleLatest',
  'GET /projects/:id/packages/go/*module_name/@v/:module_version.info': 'getProjectGoModuleVersion',
  'GET /projects/:id/packages/go/*module_name/@v/:module_version.mod': 'getProjectGoModuleFile',
  'GET /projects/:id/packages/go/*module_name/@v/:module_version.zip': 'downloadProjectGoModule',
  'POST /projects/:id/uploads': 'uploadProjectFile',
  'GET /projects/:id/uploads/:secret/:filename': 'getProjectUploadBySecret',
  'DELETE /projects/:id/uploads/:secret/:filename': 'deleteProjectUploadBySecret',
  'POST /projects/:id/packages/helm/api/:channel/charts': 'publishProjectHelmChart',
  'GET /projects/:id/packages/helm/:channel/index.yaml': 'getProjectHelmIndex',
  'GET /projects/:id/packages/helm/:channel/charts/:file_name': 'downloadProjectHelmChart',
};

/** The same of npm's registries, whose paths are not made of nouns. */
const npmNamed: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ['/projects/:id/packages/npm', 'Project'],
    ['/groups/:id/-/packages/npm', 'Group'],
    ['/packages/npm', 'Instance'],
  ].flatMap(([path, place]) => [
    [`GET ${path}/*package_name`, `get${place}NpmPackage`],
    [`GET ${path}/-/package/*package_name/dist-tags`, `get${place}NpmPackageDistTags`],
    [`GET ${path}/-/v1/search`, `search${place}NpmPackages`],
    [`GET ${path}/-/ping`, `ping${place}NpmRegistry`],
    [`GET ${path}/-/whoami`, `get${place}NpmUser`],
    [`POST ${path}/-/npm/v1/security/advisories/bulk`, `list${place}NpmAdvisories`],
    [`POST ${path}/-/npm/v1/security/audits/quick`, `audit${place}NpmPackages`],
    [`GET ${path}/*package_name/-/*file_name`, `download${place}NpmTarball`],
    [`PUT ${path}/*package_name`, `publish${place}NpmPackage`],
    [`PUT ${path}/*package_name/-rev/:revision`, `replace${place}NpmPackage`],
    [`DELETE ${path}/*package_name/-rev/:revision`, `unpublish${place}NpmPackage`],
    [`PUT ${path}/-/package/*package_name/dist-tags/:tag`, `set${place}NpmPackageDistTag`],
    [`DELETE ${path}/-/package/*package_name/dist-tags/:tag`, `delete${place}NpmPackageDistTag`],
  ]),
);

/**
 * Last segments that say what is done to what stands before them; further words of theirs follow it: `add_spent_time`.
 */
const verbs = new Set([
  'activate',
  'archive',
  'block',
  'cancel',
  'deactivate',
  'enable',
  'follow',
  'merge',
  'move',
  'preview',
  'rebase',
  'resend',
  'restore',
  'retry',
  'rotate',
  'star',
  'subscribe',
  'test',
  'transfer',
  'unarchive',
  'unblock',
  'unfollow',
  'unstar',
  'unsubscribe',
]);

const singular = (noun: string): string => {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  if (noun.endsWith('eases')) return noun.slice(0, -1);
  if (/(ch|sh|s|x)es$/.test(noun)) return noun.slice(0, -2);
  return /[^su]s$/.test(noun) ? noun.slice(0, -1) : noun;
};

const pascal = (words: string): string =>
  words
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const methods = { get: 'get', post: 'create', put: 'update', patch: 'update', delete: 'delete' } as const;

/**
 * Name of an operation: what its method does, and the nouns of its path. `GET /projects/:id/merge_requests` is
 * `listProjectMergeRequests`. Clients are generated from it, so a name that is out stays.
 */
export function operationId(route: Pick<Route, 'method' | 'path' | 'returns'>): string {
  const operation = `${route.method.toUpperCase()} ${route.path}`;
  const fixed = named[operation] ?? npmNamed[operation];
  if (fixed !== undefined) return fixed;
  const segments = route.path.split('/').filter((part) => part !== '');
  const nouns = segments.filter((part) => !/^[:*]/.test(part));
  const last = nouns.at(-1) ?? '';
  const isOne = /^[:*]/.test(segments.at(-1) ?? '') || route.method === 'post';
  const [first = '', ...rest] = last.split('_');
  const before = nouns.slice(0, -1).map(singular).map(pascal).join('');
  const isVerb = rest.length === 0 ? verbs.has(first) : first === 'add' || first === 'reset';
  if (segments.at(-1) === last && isVerb && route.method !== 'get') return `${first}${before}${pascal(rest.join('_'))}`;
  if (last === 'time_estimate') return `set${before}TimeEstimate`;
  const isList = Object.values(route.returns).some((component) => Array.isArray(component)) && route.method === 'get';
  return `${isList ? 'list' : methods[route.method]}${before}${pascal(isOne ? singular(last) : last)}`;
}
