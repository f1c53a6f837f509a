/**
 * Who may do what: written from the specification, not from the route table. A cell per role and visibility:
 * `.` the request reaches the service, `1` is 401, `3` is 403, `4` is 404.
 *
 * The columns, in order. `blocked` and `expired` are Owners whose account or token is spent; `read_api` is an Owner
 * whose token has that scope alone. An administrator is no member.
 */
export const roles = [
  'anonymous',
  'outsider',
  'guest',
  'planner',
  'reporter',
  'developer',
  'maintainer',
  'owner',
  'administrator',
  'blocked',
  'expired',
  'read_api',
] as const;

/** Cells of a family of operations on a project or group, by its visibility. */
export interface Family {
  readonly public: string;
  readonly internal: string;
  readonly private: string;
}

/** Cells of an operation that names no project or group. */
export interface Plain {
  readonly plain: string;
}

// G-5-2, G-5-3, G-5-6: a spent token is refused everywhere. G-5-5: read_api writes nothing. G-5-15: unseen is 404, seen but not
// allowed 403. G-1-11 and 5.2 of the specification: writing needs a token before anything else is said.
const families = {
  /** api.md 5.2: public projects and groups need no token. */
  openRead: { public: '.........31.', internal: '4........31.', private: '44.......31.' },
  /** Code, merge requests and pipelines of a private project are for Reporters and above. */
  reporterRead: { public: '.........31.', internal: '4........31.', private: '4433.....31.' },
  /** The same for package managers: without a token they are asked for one, whether the project is there or not. */
  managerRead: { public: '.........31.', internal: '1........31.', private: '1433.....31.' },
  /** The same of a group, in which the service finds what the caller may read. */
  groupManagerRead: { public: '.........31.', internal: '1........31.', private: '14.......31.' },
  developerRead: { public: '13333....31.', internal: '43333....31.', private: '44333....31.' },
  /** Every user who reads merge requests; the service decides on authorship (G-4.2-7). */
  readerWrite: { public: '1........313', internal: '1........313', private: '1433.....313' },
  /** Notes are for those who are logged in, wherever the object itself is open to all (G-4.6). */
  readerNotes: { public: '1........31.', internal: '1........31.', private: '1433.....31.' },
  /** The same on issues, which Guests read. */
  seerNotes: { public: '1........31.', internal: '1........31.', private: '14.......31.' },
  /** The same on alerts, which Developers read. */
  developerNotes: { public: '13333....31.', internal: '13333....31.', private: '14333....31.' },
  /** Every user who sees the project; the service decides on the rest. */
  seerWrite: { public: '1........313', internal: '1........313', private: '14.......313' },
  reporterWrite: { public: '1333.....313', internal: '1333.....313', private: '1433.....313' },
  plannerWrite: { public: '133......313', internal: '133......313', private: '143......313' },
  developerWrite: { public: '13333....313', internal: '13333....313', private: '14333....313' },
  /**
   * A write on what a path without a project names, which the service decides: those who may not read it find nothing
   * (G-5-15).
   */
  locatedWrite: { public: '1........313', internal: '1........313', private: '1444.....313' },
  /**
   * What Developers do to what a path without a project names: those who may not read it find nothing (G-5-15).
   * Anonymous callers are asked for a token first.
   */
  locatedDeveloper: { public: '13333....313', internal: '13333....313', private: '14443....313' },
  /** The same of Owners. */
  locatedOwner: { public: '1333333..313', internal: '1333333..313', private: '1433333..313' },
  maintainerWrite: { public: '133333...313', internal: '133333...313', private: '143333...313' },
  maintainerRead: { public: '133333...31.', internal: '433333...31.', private: '443333...31.' },
  ownerRead: { public: '1333333..31.', internal: '4333333..31.', private: '4433333..31.' },
  ownerWrite: { public: '1333333..313', internal: '1333333..313', private: '1433333..313' },
  /** A member may leave, so every user who sees the members gets as far as the service. */
  memberWrite: { public: '1........313', internal: '1........313', private: '14.......313' },
  /** Every list and document that needs no token. */
  everyone: { plain: '.........31.' },
  userRead: { plain: '1........31.' },
  /** Any scope will do on one's own token. */
  userSelf: { plain: '1........31.' },
  userWrite: { plain: '1........313' },
  adminRead: { plain: '13333333.313' },
  adminWrite: { plain: '13333333.313' },
  /** What administrators alone do, on a project or group: others are refused before it is looked up. */
  adminOfTarget: { public: '13333333.313', internal: '13333333.313', private: '13333333.313' },
} as const satisfies Record<string, Family | Plain>;

export type FamilyName = keyof typeof families;

/** One operation: verb and path, its family, the rule it comes from, and parameters without which it is 400. */
export interface Expectation {
  readonly operation: string;
  readonly family: FamilyName;
  readonly rule: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** Operations on what belongs to a feature of a project that has an access level of its own. */
const ofFeature =
  /^\w+ \/projects\/:id\/(issues|issues_statistics|merge_requests|merge_trains|approvals|approval_rules|repository|pipelines?|statuses|jobs|releases|environments|deployments|protected_branches|protected_tags|alert_management|alert_management_alerts|snippets|packages|milestones\/:milestone_id\/(issues|merge_requests))(\/|$)/;

/** What makes a file names it before: clients would take 404 for leave to make it. */
const createsNamed: ReadonlySet<string> = new Set([
  'POST /projects/:id/repository/files/:file_path',
  'PUT /projects/:id/packages/generic/:package_name/:package_version/*file_path',
  'PUT /projects/:id/packages/maven/*path',
  'PUT /projects/:id/packages/npm/-/package/*package_name/dist-tags/:tag',
]);

/** Whether a path of a project names an object in a feature that has to be there. */
export const isOfObject = (operation: string): boolean => /:id\/.*:/.test(operation) && !createsNamed.has(operation);

/**
 * The cells of a public project whose features are for its members: what is in a feature is not there for others (G-5-15), whether it is or
 * not; the feature itself is seen, but closed. That a token is wanted is said before.
 */
function closedCells(operation: string, open: string): string {
  if (!ofFeature.test(operation)) return open;
  const wantsToken =
    !operation.startsWith('GET ') || /\/(notes|draft_notes|discussions|award_emoji|comments)(\/|$)/.test(operation);
  const namesObject = isOfObject(operation);
  const anonymous = namesObject && !wantsToken ? '4' : '1';
  return `${anonymous}${namesObject ? '4' : '3'}${open.slice(2)}`;
}

/** What reads the packages of a project. */
export const readsPackages =
  /^(GET \/projects\/:id\/packages(?!\/(cleanup|protection)\/)|POST \/projects\/:id\/packages\/npm\/-\/npm\/)/;

/** Cells of an operation in a visibility; of operations on no project or group there are those of `public` alone. */
export function cellsOf(
  { operation, family }: Expectation,
  visibility: keyof Family | 'closed' | 'registry',
): string | undefined {
  const cells: Family | Plain = families[family];
  if ('plain' in cells) return visibility === 'public' ? cells.plain : undefined;
  // G-4.17-8: everybody reads the packages, and of all else nothing more than of any private project.
  if (visibility === 'registry') {
    if (!operation.includes(' /projects/')) return undefined;
    return readsPackages.test(operation) ? cells.public : cells.private;
  }
  if (visibility !== 'closed') return cells[visibility];
  if (family === 'locatedOwner') return undefined;
  if (family === 'locatedWrite' || family === 'locatedDeveloper') return `14${cells.public.slice(2)}`;
  return operation.includes(' /projects/') ? closedCells(operation, cells.public) : undefined;
}

const wantedImport = { personal_access_token: 't', repo_id: 1, target_namespace: 'acme' };
const wantedCloudImport = {
  ...{ forgeb_username: 'u', forgeb_app_password: 'p', repo_path: 'octo/things', target_namespace: 'acme' },
};
const wantedServerImport = {
  ...{ personal_access_token: 't', forgeb_server_url: 'https://forge.example', forgeb_server_username: 'u' },
  ...{ forgeb_server_project: 'OCTO', forgeb_server_repo: 'things' },
};
const change = { branch: 'b', commit_message: 'm', content: 'c' };
const row = (
  operation: string,
  family: FamilyName,
  rule: string,
  parameters?: Record<string, unknown>,
): Expectation => ({
  operation,
  family,
  rule,
  ...(parameters === undefined ? {} : { parameters }),
});

/** Custom attributes (G-4.15-11). */
const customAttributeRows = (owners: string, read: FamilyName, write: FamilyName): Expectation[] => [
  row(`GET /${owners}/:id/custom_attributes`, read, 'G-4.15-11'),
  row(`GET /${owners}/:id/custom_attributes/:key`, read, 'G-4.15-11'),
  row(`PUT /${owners}/:id/custom_attributes/:key`, write, 'G-4.15-11', { value: 'v' }),
  row(`DELETE /${owners}/:id/custom_attributes/:key`, write, 'G-4.15-11'),
];

/** Webhooks of one place (G-6-3, G-6-6). */
const hookRows = (root: string, read: FamilyName, write: FamilyName): Expectation[] => {
  const one = `${root}/:hook_id`;
  return [
    row(`GET ${root}`, read, 'G-6-3'),
    row(`GET ${one}`, read, 'G-6-3'),
    row(`POST ${root}`, write, 'G-6-3', { url: 'https://receiver.example.com' }),
    row(`PUT ${one}`, write, 'G-6-3'),
    row(`DELETE ${one}`, write, 'G-6-3'),
    ...['custom_headers', 'url_variables'].flatMap((entries) => [
      row(`PUT ${one}/${entries}/:key`, write, 'G-6-3', { value: 'v' }),
      row(`DELETE ${one}/${entries}/:key`, write, 'G-6-3'),
    ]),
    row(`POST ${one}/test/:trigger`, write, 'G-6-6'),
    row(`GET ${one}/events`, read, 'G-6-6'),
    row(`POST ${one}/events/:event_id/resend`, write, 'G-6-6'),
  ];
};

/** Integrations of one place (G-4.4-1 … G-4.4-4). */
const integrationRows = (root: string, read: FamilyName, write: FamilyName, rule: string): Expectation[] => [
  row(`GET ${root}`, read, rule),
  row(`GET ${root}/:slug`, read, rule),
  row(`PUT ${root}/:slug`, write, rule, { webhook: 'https://chat.example.com' }),
  row(`DELETE ${root}/:slug`, write, rule),
];

/** What became of the state, the labels and the milestone of one kind of object. */
const resourceEventRows = (path: string, read: FamilyName): Expectation[] =>
  ['state', 'label', 'milestone'].flatMap((kind) => [
    row(`GET ${path}/resource_${kind}_events`, read, 'G-4.2-1'),
    row(`GET ${path}/resource_${kind}_events/:event_id`, read, 'G-4.2-1'),
  ]);

/** Notes of one kind of object (G-4.6-1 … G-4.6-5): what the service decides on authorship, level and confidentiality is its own. */
const noteRows = (path: string, read: FamilyName, write: FamilyName): Expectation[] => [
  row(`GET ${path}/notes`, read, 'G-4.6-1'),
  row(`GET ${path}/notes/:note_id`, read, 'G-4.6-2'),
  row(`POST ${path}/notes`, write, 'G-4.6-3', { body: 'b' }),
  row(`PUT ${path}/notes/:note_id`, write, 'G-4.6-4', { body: 'b' }),
  row(`DELETE ${path}/notes/:note_id`, write, 'G-4.6-5'),
];

/** Discussions on one kind of object (G-4.7-1 … G-4.7-9). */
const discussionRows = (path: string, read: FamilyName, write: FamilyName): Expectation[] => [
  row(`GET ${path}/discussions`, read, 'G-4.7-1'),
  row(`GET ${path}/discussions/:discussion_id`, read, 'G-4.7-2'),
  row(`POST ${path}/discussions`, write, 'G-4.7-3', { body: 'b' }),
  row(`GET ${path}/discussions/:discussion_id/notes`, read, 'G-4.7-4'),
  row(`POST ${path}/discussions/:discussion_id/notes`, write, 'G-4.7-5', { body: 'b' }),
  row(`GET ${path}/discussions/:discussion_id/notes/:note_id`, read, 'G-4.7-6'),
  row(`PUT ${path}/discussions/:discussion_id/notes/:note_id`, write, 'G-4.7-7', { body: 'b' }),
  row(`DELETE ${path}/discussions/:discussion_id/notes/:note_id`, write, 'G-4.7-9'),
];

/** Draft notes of merge requests: those of others are not there, whoever asks. */
const draftNoteRows = (path: string, read: FamilyName, write: FamilyName): Expectation[] => [
  row(`GET ${path}`, read, 'G-4.2-1'),
  row(`GET ${path}/:draft_note_id`, read, 'G-4.2-1'),
  row(`POST ${path}`, write, 'G-4.2-1', { note: 'n' }),
  row(`PUT ${path}/:draft_note_id`, write, 'G-4.2-1', { note: 'n' }),
  row(`DELETE ${path}/:draft_note_id`, write, 'G-4.2-1'),
  row(`PUT ${path}/:draft_note_id/publish`, write, 'G-4.2-1'),
  row(`POST ${path}/bulk_publish`, write, 'G-4.2-1'),
];

/** Reactions to one kind of thing (G-4.6-11). */
const reactionRows = (path: string, read: FamilyName, write: FamilyName): Expectation[] => [
  row(`GET ${path}/award_emoji`, read, 'G-4.6-11'),
  row(`GET ${path}/award_emoji/:award_id`, read, 'G-4.6-11'),
  row(`POST ${path}/award_emoji`, write, 'G-4.6-11', { name: 'thumbsup' }),
  row(`DELETE ${path}/award_emoji/:award_id`, write, 'G-4.6-11'),
];

/** Access tokens and deploy tokens of a project or group (G-5-10). */
const resourceTokenRows = (path: string, read: FamilyName, write: FamilyName): Expectation[] => [
  row(`GET ${path}/access_tokens`, read, 'G-5-10'),
  row(`POST ${path}/access_tokens`, write, 'G-5-10', { name: 't', scopes: ['api'] }),
  row(`GET ${path}/access_tokens/:token_id`, read, 'G-5-10'),
  row(`DELETE ${path}/access_tokens/:token_id`, write, 'G-5-10'),
  row(`POST ${path}/access_tokens/self/rotate`, 'memberWrite', 'G-5-5'),
  row(`POST ${path}/access_tokens/:token_id/rotate`, write, 'G-5-10'),
  row(`GET ${path}/deploy_tokens`, read, 'G-5-1'),
  row(`POST ${path}/deploy_tokens`, write, 'G-5-1', { name: 't', scopes: ['read_repository'] }),
  row(`GET ${path}/deploy_tokens/:token_id`, read, 'G-5-1'),
  row(`DELETE ${path}/deploy_tokens/:token_id`, write, 'G-5-1'),
];

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

const npmOperations = (path: string): string[] =>
  npmRows(path, ['everyone', 'everyone', 'everyone']).map(({ operation }) => operation);

/** Every operation there is. A route without a row here fails the test, and so does a row without a route. */
export const expectations: readonly Expectation[] = [
  // Instance
  row('GET /version', 'userRead', 'G-9-1'),
  row('GET /metadata', 'userRead', 'G-9-1'),

  // Users and tokens
  row('GET /user', 'userRead', 'gaps §10 User'),
  row('GET /users', 'everyone', 'gaps §10 Users'),
  row('GET /users/:id', 'everyone', 'gaps §10 Users'),
  row('GET /users/:id/memberships', 'adminRead', 'gaps §10 Users'),
  row('POST /users', 'adminWrite', 'gaps §10 Users', {
    email: 'a@example.com',
    name: 'A',
    username: 'a',
    password: 'long enough',
  }),
  row('PUT /users/:id', 'adminWrite', 'gaps §10 Users', { name: 'B' }),
  row('DELETE /users/:id', 'adminWrite', 'gaps §10 Users'),
  row('POST /users/:id/block', 'adminWrite', 'gaps §10 Users'),
  row('POST /users/:id/unblock', 'adminWrite', 'gaps §10 Users'),
  row('POST /users/:id/activate', 'adminWrite', 'gaps §10 Users'),
  row('POST /users/:id/deactivate', 'adminWrite', 'gaps §10 Users'),
  row('GET /user/emails', 'userRead', 'gaps §10 Users'),
  row('POST /user/emails', 'userWrite', 'gaps §10 Users', { email: 'a@example.com' }),
  row('GET /user/emails/:email_id', 'userRead', 'gaps §10 Users'),
  row('DELETE /user/emails/:email_id', 'userWrite', 'gaps §10 Users'),
  row('GET /users/:id/emails', 'adminRead', 'gaps §10 Users'),
  row('POST /users/:id/emails', 'adminWrite', 'gaps §10 Users', { email: 'a@example.com' }),
  row('DELETE /users/:id/emails/:email_id', 'adminWrite', 'gaps §10 Users'),
  row('GET /user/status', 'userRead', 'gaps §10 Users'),
  row('PUT /user/status', 'userWrite', 'gaps §10 Users', { message: 'm' }),
  row('PATCH /user/status', 'userWrite', 'gaps §10 Users', { message: 'm' }),
  row('GET /users/:id/status', 'everyone', 'gaps §10 Users'),
  row('POST /users/:id/follow', 'userWrite', 'gaps §10 Users'),
  row('POST /users/:id/unfollow', 'userWrite', 'gaps §10 Users'),
  row('GET /users/:id/followers', 'userRead', 'gaps §10 Users'),
  row('GET /users/:id/following', 'userRead', 'gaps §10 Users'),
  row('GET /user/activities', 'adminRead', 'gaps §10 Users'),
  // Others than the user and administrators are refused by the service.
  row('GET /users/:id/associations_count', 'userRead', 'gaps §10 Users'),
  // Service accounts
  row('GET /groups/:id/service_accounts', 'ownerRead', 'G-4.5-1'),
  row('POST /groups/:id/service_accounts', 'ownerWrite', 'G-4.5-2'),
  row('PATCH /groups/:id/service_accounts/:user_id', 'ownerWrite', 'G-4.5-3', { name: 'n' }),
  row('DELETE /groups/:id/service_accounts/:user_id', 'ownerWrite', 'G-4.5-4'),
  row('GET /groups/:id/service_accounts/:user_id/personal_access_tokens', 'ownerRead', 'G-4.5-5'),
  row('POST /groups/:id/service_accounts/:user_id/personal_access_tokens', 'ownerWrite', 'G-4.5-6', {
    name: 't',
    scopes: ['api'],
  }),
  row('POST /groups/:id/service_accounts/:user_id/personal_access_tokens/:token_id/rotate', 'ownerWrite', 'G-4.5-7'),
  row('DELETE /groups/:id/service_accounts/:user_id/personal_access_tokens/:token_id', 'ownerWrite', 'G-4.5-8'),
  row('GET /service_accounts', 'adminRead', 'G-4.5-13'),
  row('POST /service_accounts', 'adminWrite', 'G-4.5-13'),
  row('PATCH /service_accounts/:user_id', 'adminWrite', 'G-4.5-13', { name: 'n' }),
  row('POST /users/:user_id/personal_access_tokens', 'adminWrite', 'G-5-10', { name: 't', scopes: ['api'] }),
  row('POST /user/personal_access_tokens', 'userWrite', 'G-5-10', { name: 't', scopes: ['self_rotate'] }),
  row('GET /personal_access_tokens', 'userRead', 'G-5-11'),
  row('GET /personal_access_tokens/self', 'userRead', 'G-5-5'),
  row('GET /personal_access_tokens/:token_id', 'userRead', 'G-5-11'),
  row('DELETE /personal_access_tokens/self', 'userSelf', 'G-5-5'),
  row('DELETE /personal_access_tokens/:token_id', 'userWrite', 'G-5-11'),
  row('POST /personal_access_tokens/self/rotate', 'userWrite', 'G-5-11'),
  row('POST /personal_access_tokens/:token_id/rotate', 'userWrite', 'G-5-11'),
  row('GET /users/:user_id/impersonation_tokens', 'adminRead', 'G-5-10'),
  row('POST /users/:user_id/impersonation_tokens', 'adminWrite', 'G-5-10', { name: 't', scopes: ['api'] }),
  row('GET /users/:user_id/impersonation_tokens/:token_id', 'adminRead', 'G-5-10'),
  row('DELETE /users/:user_id/impersonation_tokens/:token_id', 'adminWrite', 'G-5-10'),
  row('GET /deploy_tokens', 'adminRead', 'G-5-1'),
  ...resourceTokenRows('/projects/:id', 'maintainerRead', 'maintainerWrite'),
  ...resourceTokenRows('/groups/:id', 'ownerRead', 'ownerWrite'),

  // Namespaces
  row('GET /namespaces', 'userRead', 'gaps §10 Namespaces'),
  row('GET /namespaces/:id', 'userRead', 'gaps §10 Namespaces'),
  row('GET /namespaces/:id/exists', 'userRead', 'gaps §10 Namespaces'),

  // Groups
  row('GET /groups', 'everyone', 'api.md 4.15'),
  row('POST /groups', 'userWrite', 'G-4.15-5', { name: 'g', path: 'g' }),
  row('GET /groups/:id', 'openRead', 'api.md 4.15'),
  row('PUT /groups/:id', 'ownerWrite', 'G-4.15-6', { name: 'g' }),
  row('DELETE /groups/:id', 'ownerWrite', 'G-4.15-7'),
  // A deleted group is invisible, so the service looks at who asks.
  row('POST /groups/:id/restore', 'ownerWrite', 'G-4.15-7'),
  row('POST /groups/:id/transfer', 'ownerWrite', 'G-4.15-8'),
  row('GET /groups/:id/transfer_locations', 'ownerRead', 'G-4.15-8'),
  row('POST /groups/:id/projects/:project_id', 'adminWrite', 'G-4.15-8'),
  row('GET /groups/:id/subgroups', 'openRead', 'G-4.15-3'),
  row('GET /groups/:id/descendant_groups', 'openRead', 'G-4.15-3'),
  row('GET /groups/:id/projects', 'openRead', 'G-4.15-1'),
  row('GET /groups/:id/projects/shared', 'openRead', 'G-4.15-4'),
  row('GET /groups/:id/groups/shared', 'openRead', 'G-4.15-4'),
  row('GET /groups/:id/invited_groups', 'openRead', 'G-4.15-4'),
  row('POST /groups/:id/share', 'ownerWrite', 'G-4.15-8', { group_id: 5, group_access: 30 }),
  row('DELETE /groups/:id/share/:group_id', 'ownerWrite', 'G-4.15-8'),
  row('GET /groups/:id/merge_requests', 'openRead', 'G-4.2-1'),
  row('GET /groups/:id/members', 'openRead', 'gaps §10 Members'),
  row('GET /groups/:id/members/all', 'openRead', 'gaps §10 Members'),
  row('GET /groups/:id/members/all/:user_id', 'openRead', 'gaps §10 Members'),
  row('GET /groups/:id/members/:user_id', 'openRead', 'gaps §10 Members'),
  row('POST /groups/:id/members', 'ownerWrite', 'gaps §10 Members', { user_id: 5, access_level: 30 }),
  row('PUT /groups/:id/members/:user_id', 'ownerWrite', 'gaps §10 Members', { access_level: 30 }),
  row('DELETE /groups/:id/members/:user_id', 'memberWrite', 'gaps §10 Members'),
  row('GET /groups/:id/access_requests', 'ownerRead', 'G-5-15'),
  row('POST /groups/:id/access_requests', 'seerWrite', 'G-5-15'),
  row('PUT /groups/:id/access_requests/:user_id/approve', 'ownerWrite', 'G-5-15'),
  row('DELETE /groups/:id/access_requests/:user_id', 'memberWrite', 'G-5-15'),
  row('GET /groups/:id/labels', 'openRead', 'gaps §10 Labels'),
  row('GET /groups/:id/labels/:label_id', 'openRead', 'gaps §10 Labels'),
  row('POST /groups/:id/labels', 'reporterWrite', 'gaps §10 Labels', { name: 'l', color: '#ff0000' }),
  row('PUT /groups/:id/labels/:label_id', 'reporterWrite', 'gaps §10 Labels', { color: '#ff0000' }),
  row('DELETE /groups/:id/labels/:label_id', 'reporterWrite', 'gaps §10 Labels'),
  row('POST /groups/:id/labels/:label_id/subscribe', 'seerWrite', 'gaps §10 Labels'),
  row('POST /groups/:id/labels/:label_id/unsubscribe', 'seerWrite', 'gaps §10 Labels'),
  row('PUT /groups/:id/labels', 'reporterWrite', 'gaps §10 Labels', { name: 'l', color: '#ff0000' }),
  row('DELETE /groups/:id/labels', 'reporterWrite', 'gaps §10 Labels', { name: 'l' }),
  row('GET /application/settings', 'adminRead', 'ADR 33'),
  row('PUT /application/settings', 'adminWrite', 'ADR 33', { can_create_group: true }),
  row('GET /user/keys', 'userRead', 'G-4.10-4'),
  row('GET /user/keys/:key_id', 'userRead', 'G-4.10-4'),
  row('POST /user/keys', 'userWrite', 'G-4.10-4', { title: 'k', key: 'k' }),
  row('DELETE /user/keys/:key_id', 'userWrite', 'G-4.10-4'),
  row('GET /users/:user_id/keys', 'everyone', 'G-4.10-4'),
  row('GET /users/:user_id/keys/:key_id', 'everyone', 'G-4.10-4'),
  row('POST /users/:user_id/keys', 'adminWrite', 'G-4.10-4', { title: 'k', key: 'k' }),
  row('DELETE /users/:user_id/keys/:key_id', 'adminWrite', 'G-4.10-4'),
  row('GET /keys', 'adminRead', 'G-4.10-2', { fingerprint: 'f' }),
  row('GET /keys/:key_id', 'adminRead', 'G-4.10-1'),
  row('GET /deploy_keys', 'adminRead', 'G-4.10-4'),
  row('POST /deploy_keys', 'adminWrite', 'G-4.10-4', { title: 'k', key: 'k' }),
  row('GET /projects/:id/deploy_keys', 'maintainerRead', 'G-4.10-4'),
  row('GET /projects/:id/deploy_keys/:key_id', 'maintainerRead', 'G-4.10-4'),
  row('POST /projects/:id/deploy_keys', 'maintainerWrite', 'G-4.10-4', { title: 'k', key: 'k' }),
  row('PUT /projects/:id/deploy_keys/:key_id', 'maintainerWrite', 'G-4.10-4', { title: 'k' }),
  row('POST /projects/:id/deploy_keys/:key_id/enable', 'maintainerWrite', 'G-4.10-4'),
  row('DELETE /projects/:id/deploy_keys/:key_id', 'maintainerWrite', 'G-4.10-4'),
  row('GET /groups/:id/milestones', 'openRead', 'gaps §10 Milestones'),
  row('GET /groups/:id/milestones/:milestone_id', 'openRead', 'gaps §10 Milestones'),
  row('GET /groups/:id/milestones/:milestone_id/issues', 'openRead', 'gaps §10 Milestones'),
  row('GET /groups/:id/milestones/:milestone_id/merge_requests', 'openRead', 'gaps §10 Milestones'),
  row('POST /groups/:id/milestones', 'reporterWrite', 'gaps §10 Milestones', { title: 'm' }),
  row('PUT /groups/:id/milestones/:milestone_id', 'reporterWrite', 'gaps §10 Milestones', { title: 'm' }),
  row('DELETE /groups/:id/milestones/:milestone_id', 'reporterWrite', 'gaps §10 Milestones'),

  // Projects
  row('GET /projects', 'everyone', 'gaps §10 Projects'),
  row('GET /users/:id/projects', 'everyone', 'gaps §10 Projects'),
  row('GET /topics', 'everyone', 'G-4.16-5'),
  row('GET /topics/:id', 'everyone', 'G-4.16-5'),
  row('POST /topics', 'adminWrite', 'G-4.16-5', { name: 'n', title: 't' }),
  row('PUT /topics/:id', 'adminWrite', 'G-4.16-5', { title: 't' }),
  row('DELETE /topics/:id', 'adminWrite', 'G-4.16-5'),
  row('POST /topics/merge', 'adminWrite', 'G-4.16-5', { source_topic_id: 1, target_topic_id: 2 }),
  row('GET /avatar', 'everyone', 'G-4.16-6', { email: 'ada@example.com' }),
  row('PUT /user/avatar', 'userWrite', 'G-4.16-6', { avatar: '' }),
  row('GET /projects/:id/avatar', 'openRead', 'G-4.16-6'),
  row('GET /groups/:id/avatar', 'openRead', 'G-4.16-6'),
  row('POST /projects', 'userWrite', 'gaps §10 Projects', { name: 'p' }),
  row('POST /projects/user/:user_id', 'adminWrite', 'gaps §10 Projects', { name: 'p' }),
  row('GET /projects/:id', 'openRead', 'gaps §10 Projects'),
  row('PUT /projects/:id', 'maintainerWrite', 'gaps §10 Projects', { name: 'p' }),
  // Who may see a project is for its Owners to say, as is whether it lives, moves or rests.
  row('PUT /projects/:id', 'ownerWrite', 'gaps §10 Projects', { visibility: 'public' }),
  row('DELETE /projects/:id', 'ownerWrite', 'gaps §10 Projects'),
  row('POST /projects/:id/star', 'seerWrite', 'gaps §10 Projects'),
  row('POST /projects/:id/unstar', 'seerWrite', 'gaps §10 Projects'),
  row('GET /projects/:id/starrers', 'openRead', 'gaps §10 Projects'),
  row('GET /users/:id/starred_projects', 'everyone', 'gaps §10 Projects'),
  row('GET /projects/:id/approvals', 'reporterRead', 'G-4.2-8'),
  row('POST /projects/:id/approvals', 'maintainerWrite', 'G-4.2-8', { approvals_before_merge: 1 }),
  row('POST /projects/:id/archive', 'ownerWrite', 'gaps §10 Projects'),
  row('POST /projects/:id/unarchive', 'ownerWrite', 'gaps §10 Projects'),
  row('PUT /projects/:id/transfer', 'ownerWrite', 'gaps §10 Projects', { namespace: 'g' }),
  row('GET /projects/:id/invited_groups', 'openRead', 'G-4.15-4'),
  row('POST /projects/:id/share', 'maintainerWrite', 'G-4.15-8', { group_id: 5, group_access: 30 }),
  row('DELETE /projects/:id/share/:group_id', 'maintainerWrite', 'G-4.15-8'),
  row('GET /projects/:id/transfer_locations', 'ownerRead', 'G-4.15-8'),
  // Who may fork, the service decides: it answers 404 to others, as for a project that is not there.
  row('POST /projects/:id/fork', 'seerWrite', 'gaps §10 Projects'),
  row('GET /projects/:id/forks', 'openRead', 'gaps §10 Projects'),
  row('POST /projects/:id/fork/:forked_from_id', 'maintainerWrite', 'gaps §10 Projects'),
  row('DELETE /projects/:id/fork', 'ownerWrite', 'gaps §10 Projects'),
  row('POST /projects/:id/restore', 'ownerWrite', 'G-4.15-7'),
  row('GET /projects/:id/members', 'openRead', 'gaps §10 Members'),
  row('GET /projects/:id/members/all', 'openRead', 'gaps §10 Members'),
  row('GET /projects/:id/members/all/:user_id', 'openRead', 'gaps §10 Members'),
  row('GET /projects/:id/members/:user_id', 'openRead', 'gaps §10 Members'),
  row('POST /projects/:id/members', 'maintainerWrite', 'gaps §10 Members', { user_id: 5, access_level: 30 }),
  row('PUT /projects/:id/members/:user_id', 'maintainerWrite', 'gaps §10 Members', { access_level: 30 }),
  row('DELETE /projects/:id/members/:user_id', 'memberWrite', 'gaps §10 Members'),
  row('GET /projects/:id/access_requests', 'maintainerRead', 'G-5-15'),
  row('POST /projects/:id/access_requests', 'seerWrite', 'G-5-15'),
  row('PUT /projects/:id/access_requests/:user_id/approve', 'maintainerWrite', 'G-5-15'),
  row('DELETE /projects/:id/access_requests/:user_id', 'memberWrite', 'G-5-15'),
  row('GET /projects/:id/labels', 'openRead', 'gaps §10 Labels'),
  row('GET /projects/:id/labels/:label_id', 'openRead', 'gaps §10 Labels'),
  row('POST /projects/:id/labels', 'reporterWrite', 'gaps §10 Labels', { name: 'l', color: '#ff0000' }),
  row('PUT /projects/:id/labels/:label_id', 'reporterWrite', 'gaps §10 Labels', { color: '#ff0000' }),
  row('DELETE /projects/:id/labels/:label_id', 'reporterWrite', 'gaps §10 Labels'),
  row('POST /projects/:id/labels/:label_id/subscribe', 'seerWrite', 'gaps §10 Labels'),
  row('POST /projects/:id/labels/:label_id/unsubscribe', 'seerWrite', 'gaps §10 Labels'),
  row('PUT /projects/:id/labels', 'reporterWrite', 'gaps §10 Labels', { name: 'l', color: '#ff0000' }),
  row('DELETE /projects/:id/labels', 'reporterWrite', 'gaps §10 Labels', { name: 'l' }),
  row('GET /projects/:id/milestones', 'openRead', 'gaps §10 Milestones'),
  row('GET /projects/:id/milestones/:milestone_id', 'openRead', 'gaps §10 Milestones'),
  row('GET /projects/:id/milestones/:milestone_id/issues', 'openRead', 'gaps §10 Milestones'),
  row('GET /projects/:id/milestones/:milestone_id/merge_requests', 'reporterRead', 'gaps §10 Milestones'),
  row('POST /projects/:id/milestones', 'reporterWrite', 'gaps §10 Milestones', { title: 'm' }),
  row('PUT /projects/:id/milestones/:milestone_id', 'reporterWrite', 'gaps §10 Milestones', { title: 'm' }),
  row('DELETE /projects/:id/milestones/:milestone_id', 'reporterWrite', 'gaps §10 Milestones'),
  row('GET /groups/:id/variables', 'ownerRead', 'G-4.3-1'),
  row('GET /groups/:id/variables/:key', 'ownerRead', 'G-4.3-2'),
  row('POST /groups/:id/variables', 'ownerWrite', 'G-4.3-3', { key: 'K', value: 'v' }),
  row('PUT /groups/:id/variables/:key', 'ownerWrite', 'G-4.3-4', { value: 'v' }),
  row('DELETE /groups/:id/variables/:key', 'ownerWrite', 'G-4.3-5'),
  row('GET /projects/:id/variables', 'maintainerRead', 'gaps §10 Project variables'),
  row('GET /projects/:id/variables/:key', 'maintainerRead', 'gaps §10 Project variables'),
  row('POST /projects/:id/variables', 'maintainerWrite', 'gaps §10 Project variables', { key: 'K', value: 'v' }),
  row('PUT /projects/:id/variables/:key', 'maintainerWrite', 'gaps §10 Project variables', { value: 'v' }),
  row('DELETE /projects/:id/variables/:key', 'maintainerWrite', 'gaps §10 Project variables'),
  row('GET /admin/ci/variables', 'adminRead', 'gaps §10 Project variables'),
  row('GET /admin/ci/variables/:key', 'adminRead', 'gaps §10 Project variables'),
  row('POST /admin/ci/variables', 'adminWrite', 'gaps §10 Project variables', { key: 'K', value: 'v' }),
  row('PUT /admin/ci/variables/:key', 'adminWrite', 'gaps §10 Project variables', { value: 'v' }),
  row('DELETE /admin/ci/variables/:key', 'adminWrite', 'gaps §10 Project variables'),

  // Repository
  row('GET /projects/:id/repository/branches', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/repository/branches/:branch', 'reporterRead', 'gaps §10 Repository'),
  row('POST /projects/:id/repository/branches', 'developerWrite', 'gaps §10 Repository', { branch: 'b', ref: 'main' }),
  row('DELETE /projects/:id/repository/branches/:branch', 'developerWrite', 'gaps §10 Repository'),
  row('DELETE /projects/:id/repository/merged_branches', 'developerWrite', 'gaps §10 Repository'),
  row('GET /projects/:id/protected_branches', 'developerRead', 'gaps §10 Protected branches'),
  row('GET /projects/:id/protected_branches/:name', 'developerRead', 'gaps §10 Protected branches'),
  row('POST /projects/:id/protected_branches', 'maintainerWrite', 'gaps §10 Protected branches', { name: 'b' }),
  row('PATCH /projects/:id/protected_branches/:name', 'maintainerWrite', 'gaps §10 Protected branches', {
    allow_force_push: true,
  }),
  row('DELETE /projects/:id/protected_branches/:name', 'maintainerWrite', 'gaps §10 Protected branches'),
  row('GET /projects/:id/protected_tags', 'developerRead', 'gaps §10 Protected branches'),
  row('GET /projects/:id/protected_tags/:name', 'developerRead', 'gaps §10 Protected branches'),
  row('POST /projects/:id/protected_tags', 'maintainerWrite', 'gaps §10 Protected branches', { name: 't' }),
  row('DELETE /projects/:id/protected_tags/:name', 'maintainerWrite', 'gaps §10 Protected branches'),
  row('GET /projects/:id/repository/commits', 'reporterRead', 'gaps §10 Repository'),
  row('POST /projects/:id/repository/commits', 'readerWrite', 'gaps §10 Repository', {
    branch: 'b',
    commit_message: 'm',
    actions: [{ action: 'create', file_path: 'f', content: 'c' }],
  }),
  row('GET /projects/:id/repository/commits/:sha', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/repository/commits/:sha/diff', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/repository/commits/:sha/refs', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/repository/commits/:sha/merge_requests', 'reporterRead', 'gaps §10 Repository'),
  row('POST /projects/:id/repository/commits/:sha/cherry_pick', 'readerWrite', 'gaps §10 Repository', {
    branch: 'b',
  }),
  row('POST /projects/:id/repository/commits/:sha/revert', 'readerWrite', 'gaps §10 Repository', { branch: 'b' }),
  row('GET /projects/:id/repository/commits/:sha/statuses', 'reporterRead', 'gaps §10 Pipelines'),
  row('GET /projects/:id/repository/files/:file_path', 'reporterRead', 'gaps §10 Repository', { ref: 'main' }),
  row('GET /projects/:id/repository/files/:file_path/raw', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/repository/files/:file_path/blame', 'reporterRead', 'gaps §10 Repository', { ref: 'main' }),
  ...['', '.tar.gz', '.tar.bz2', '.zip'].map((ending) =>
    row(`GET /projects/:id/repository/archive${ending}`, 'reporterRead', 'gaps §10 Repository'),
  ),
  row('POST /projects/:id/repository/files/:file_path', 'readerWrite', 'gaps §10 Repository', change),
  row('PUT /projects/:id/repository/files/:file_path', 'readerWrite', 'gaps §10 Repository', change),
  row('DELETE /projects/:id/repository/files/:file_path', 'readerWrite', 'gaps §10 Repository', {
    branch: 'b',
    commit_message: 'm',
  }),
  row('GET /projects/:id/repository/tree', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/repository/blobs/:sha', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/repository/blobs/:sha/raw', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/repository/compare', 'reporterRead', 'gaps §10 Repository', { from: 'a', to: 'b' }),
  row('GET /projects/:id/repository/merge_base', 'reporterRead', 'gaps §10 Repository', { 'refs[]': 'a' }),
  row('GET /projects/:id/repository/contributors', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/repository/tags', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/repository/tags/:tag_name', 'reporterRead', 'gaps §10 Repository'),
  row('POST /projects/:id/repository/tags', 'developerWrite', 'gaps §10 Repository', { tag_name: 't', ref: 'main' }),
  row('DELETE /projects/:id/repository/tags/:tag_name', 'developerWrite', 'gaps §10 Repository'),

  // Releases: what a tag publishes is code
  row('GET /projects/:id/releases', 'reporterRead', 'gaps §10 Repository'),
  row('POST /projects/:id/releases', 'developerWrite', 'gaps §10 Repository', { tag_name: 't' }),
  row('GET /projects/:id/releases/permalink/latest', 'reporterRead', 'gaps §10 Repository'),
  row(
    'GET /projects/:id/releases/permalink/latest/downloads/:direct_asset_path',
    'reporterRead',
    'gaps §10 Repository',
  ),
  row('GET /projects/:id/releases/:tag_name', 'reporterRead', 'gaps §10 Repository'),
  row('PUT /projects/:id/releases/:tag_name', 'developerWrite', 'gaps §10 Repository', { name: 'n' }),
  row('DELETE /projects/:id/releases/:tag_name', 'developerWrite', 'gaps §10 Repository'),
  row('GET /projects/:id/releases/:tag_name/downloads/:direct_asset_path', 'reporterRead', 'gaps §10 Repository'),
  row('GET /projects/:id/releases/:tag_name/assets/links', 'reporterRead', 'gaps §10 Repository'),
  row('POST /projects/:id/releases/:tag_name/assets/links', 'developerWrite', 'gaps §10 Repository', {
    name: 'n',
    url: 'https://example.com',
  }),
  row('GET /projects/:id/releases/:tag_name/assets/links/:link_id', 'reporterRead', 'gaps §10 Repository'),
  row('PUT /projects/:id/releases/:tag_name/assets/links/:link_id', 'developerWrite', 'gaps §10 Repository', {
    name: 'n',
  }),
  row('DELETE /projects/:id/releases/:tag_name/assets/links/:link_id', 'developerWrite', 'gaps §10 Repository'),
  row('POST /projects/:id/repository/tags/:tag_name/release', 'developerWrite', 'gaps §10 Repository', {
    description: 'd',
  }),
  row('PUT /projects/:id/repository/tags/:tag_name/release', 'developerWrite', 'gaps §10 Repository', {
    description: 'd',
  }),

  // Pipelines and statuses
  row('GET /projects/:id/pipelines', 'reporterRead', 'gaps §10 Pipelines'),
  row('GET /projects/:id/pipelines/latest', 'reporterRead', 'gaps §10 Pipelines'),
  row('DELETE /projects/:id/pipelines/:pipeline_id', 'ownerWrite', 'gaps §10 Pipelines'),
  row('GET /projects/:id/pipelines/:pipeline_id', 'reporterRead', 'gaps §10 Pipelines'),
  // The service leaves them to Maintainers and to who made the pipeline.
  row('GET /projects/:id/pipelines/:pipeline_id/variables', 'reporterRead', 'gaps §10 Pipelines'),
  row('GET /projects/:id/pipelines/:pipeline_id/ci_variables', 'reporterRead', 'gaps §10 Pipelines'),
  row('POST /projects/:id/pipeline', 'developerWrite', 'gaps §10 Pipelines', { ref: 'main' }),
  row('POST /projects/:id/pipelines/:pipeline_id/cancel', 'developerWrite', 'gaps §10 Pipelines'),
  row('POST /projects/:id/pipelines/:pipeline_id/retry', 'developerWrite', 'gaps §10 Pipelines'),
  row('POST /projects/:id/pipelines/:pipeline_id/job_token', 'maintainerWrite', 'G-5-13'),
  row('POST /projects/:id/statuses/:sha', 'developerWrite', 'gaps §10 Pipelines', { state: 'success' }),

  // Jobs
  row('GET /projects/:id/jobs', 'reporterRead', 'gaps §10 Jobs'),
  row('GET /projects/:id/pipelines/:pipeline_id/jobs', 'reporterRead', 'gaps §10 Pipelines'),
  row('GET /projects/:id/jobs/:job_id', 'reporterRead', 'gaps §10 Jobs'),
  row('GET /projects/:id/jobs/:job_id/trace', 'reporterRead', 'gaps §10 Jobs'),

  // Environments and deployments
  row('GET /projects/:id/environments', 'reporterRead', 'gaps §10 Environments'),
  row('POST /projects/:id/environments', 'developerWrite', 'gaps §10 Environments', { name: 'e' }),
  row('POST /projects/:id/environments/stop_stale', 'developerWrite', 'gaps §10 Environments', {
    before: '2020-01-01',
  }),
  row('DELETE /projects/:id/environments/review_apps', 'developerWrite', 'gaps §10 Environments'),
  row('GET /projects/:id/environments/:environment_id', 'reporterRead', 'gaps §10 Environments'),
  row('PUT /projects/:id/environments/:environment_id', 'developerWrite', 'gaps §10 Environments'),
  row('DELETE /projects/:id/environments/:environment_id', 'developerWrite', 'gaps §10 Environments'),
  row('POST /projects/:id/environments/:environment_id/stop', 'developerWrite', 'gaps §10 Environments'),
  row('GET /projects/:id/deployments', 'reporterRead', 'gaps §10 Environments'),
  row('POST /projects/:id/deployments', 'developerWrite', 'gaps §10 Environments', {
    environment: 'e',
    sha: 'a'.repeat(40),
    ref: 'main',
    tag: false,
    status: 'success',
  }),
  row('GET /projects/:id/deployments/:deployment_id', 'reporterRead', 'gaps §10 Environments'),
  row('PUT /projects/:id/deployments/:deployment_id', 'developerWrite', 'gaps §10 Environments', {
    status: 'success',
  }),
  row('DELETE /projects/:id/deployments/:deployment_id', 'developerWrite', 'gaps §10 Environments'),
  row('GET /projects/:id/deployments/:deployment_id/merge_requests', 'reporterRead', 'gaps §10 Environments'),

  // Epics. Which Planners and above delete one the service decides, as it does of confidential ones.
  row('GET /groups/:id/epics', 'openRead', 'G-4.18-6'),
  row('POST /groups/:id/epics', 'plannerWrite', 'G-4.18-1', { title: 't' }),
  row('GET /groups/:id/epics/:epic_iid', 'openRead', 'api.md 4.18'),
  row('PUT /groups/:id/epics/:epic_iid', 'plannerWrite', 'G-4.18-2', { title: 't' }),
  row('DELETE /groups/:id/epics/:epic_iid', 'plannerWrite', 'G-4.18-3'),
  row('POST /groups/:id/epics/:epic_iid/subscribe', 'seerWrite', 'api.md 4.18'),
  row('POST /groups/:id/epics/:epic_iid/unsubscribe', 'seerWrite', 'api.md 4.18'),
  row('GET /groups/:id/epics/:epic_iid/participants', 'openRead', 'api.md 4.18'),

  row('GET /groups/:id/epics/:epic_iid/issues', 'seerNotes', 'G-4.18-7'),
  row('POST /groups/:id/epics/:epic_iid/issues/:epic_issue_id', 'plannerWrite', 'G-4.18-8'),
  row('DELETE /groups/:id/epics/:epic_iid/issues/:epic_issue_id', 'plannerWrite', 'G-4.18-9'),
  row('PUT /groups/:id/epics/:epic_iid/issues/:epic_issue_id', 'plannerWrite', 'G-4.18-10', { move_after_id: 5 }),
  row('GET /groups/:id/epics/:epic_iid/epics', 'seerNotes', 'gaps §4.18'),
  row('POST /groups/:id/epics/:epic_iid/epics', 'plannerWrite', 'gaps §4.18', { title: 't' }),
  row('POST /groups/:id/epics/:epic_iid/epics/:child_epic_id', 'plannerWrite', 'gaps §4.18'),
  row('PUT /groups/:id/epics/:epic_iid/epics/:child_epic_id', 'plannerWrite', 'gaps §4.18', { move_after_id: 5 }),
  row('DELETE /groups/:id/epics/:epic_iid/epics/:child_epic_id', 'plannerWrite', 'gaps §4.18'),
  row('GET /groups/:id/epics/:epic_iid/progress', 'seerNotes', 'ADR 52'),
  row('GET /groups/:id/epics/:epic_iid/related_epics', 'seerNotes', 'gaps §4.18'),
  row('POST /groups/:id/epics/:epic_iid/related_epics', 'plannerWrite', 'gaps §4.18', {
    target_group_id: 1,
    target_epic_iid: 1,
  }),
  row('DELETE /groups/:id/epics/:epic_iid/related_epics/:related_epic_link_id', 'plannerWrite', 'gaps §4.18'),
  ...noteRows('/groups/:id/epics/:epic_id', 'seerNotes', 'seerWrite'),
  ...discussionRows('/groups/:id/epics/:epic_id', 'seerNotes', 'seerWrite'),
  row('PUT /groups/:id/epics/:epic_id/discussions/:discussion_id', 'seerWrite', 'G-4.7-8', { resolved: true }),
  ...reactionRows('/groups/:id/epics/:epic_iid', 'seerNotes', 'seerWrite'),
  ...reactionRows('/groups/:id/epics/:epic_id/notes/:note_id', 'seerNotes', 'seerWrite'),
  row('POST /groups/:id/epics/:epic_iid/todo', 'seerWrite', 'G-4.18-4'),

  // Issues. Everybody who sees a public project may open one; what else than reading a caller may do with one, the service decides.
  row('GET /issues', 'everyone', 'gaps §10 Issues', { scope: 'all' }),
  row('GET /issues/:id', 'adminRead', 'gaps §10 Issues'),
  row('GET /issues_statistics', 'everyone', 'gaps §10 Issues', { scope: 'all' }),
  row('GET /groups/:id/issues', 'openRead', 'gaps §10 Issues'),
  row('GET /groups/:id/issues_statistics', 'openRead', 'gaps §10 Issues'),
  row('GET /projects/:id/issues', 'openRead', 'gaps §10 Issues'),
  row('GET /projects/:id/issues_statistics', 'openRead', 'gaps §10 Issues'),
  row('POST /projects/:id/issues', 'seerWrite', 'gaps §10 Issues', { title: 't' }),
  row('GET /projects/:id/issues/:issue_iid', 'openRead', 'gaps §10 Issues'),
  row('PUT /projects/:id/issues/:issue_iid', 'seerWrite', 'gaps §10 Issues', { title: 't' }),
  row('DELETE /projects/:id/issues/:issue_iid', 'seerWrite', 'gaps §10 Issues'),
  row('POST /projects/:id/issues/:issue_iid/move', 'seerWrite', 'gaps §10 Issues', { to_project_id: 9 }),
  row('POST /projects/:id/issues/:issue_iid/subscribe', 'seerWrite', 'gaps §10 Issues'),
  row('POST /projects/:id/issues/:issue_iid/unsubscribe', 'seerWrite', 'gaps §10 Issues'),
  row('GET /projects/:id/issues/:issue_iid/participants', 'openRead', 'gaps §10 Issues'),
  ...noteRows('/projects/:id/issues/:issue_iid', 'seerNotes', 'seerWrite'),
  ...discussionRows('/projects/:id/issues/:issue_iid', 'seerNotes', 'seerWrite'),
  row('PUT /projects/:id/issues/:issue_iid/discussions/:discussion_id', 'seerWrite', 'G-4.7-8', { resolved: true }),
  ...reactionRows('/projects/:id/issues/:issue_iid', 'seerNotes', 'seerWrite'),
  ...reactionRows('/projects/:id/issues/:issue_iid/notes/:note_id', 'seerNotes', 'seerWrite'),
  row('POST /projects/:id/issues/:issue_iid/todo', 'seerWrite', 'G-4.9-3'),
  row('GET /projects/:id/issues/:issue_iid/closed_by', 'openRead', 'gaps §10 Issues'),
  row('GET /projects/:id/issues/:issue_iid/related_merge_requests', 'openRead', 'gaps §10 Issues'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/closes_issues', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/related_issues', 'reporterRead', 'G-4.2-1'),
  ...resourceEventRows('/projects/:id/issues/:issue_iid', 'openRead'),
  row('GET /projects/:id/issues/:issue_iid/time_stats', 'openRead', 'gaps §10 Issues'),
  row('POST /projects/:id/issues/:issue_iid/time_estimate', 'seerWrite', 'gaps §10 Issues', { duration: '1h' }),
  row('POST /projects/:id/issues/:issue_iid/reset_time_estimate', 'seerWrite', 'gaps §10 Issues'),
  row('POST /projects/:id/issues/:issue_iid/add_spent_time', 'seerWrite', 'gaps §10 Issues', { duration: '1h' }),
  row('GET /projects/:id/issues/:issue_iid/timelogs', 'openRead', 'gaps §10 Issues'),
  row('DELETE /projects/:id/issues/:issue_iid/timelogs/:timelog_id', 'seerWrite', 'gaps §10 Issues'),
  row('POST /projects/:id/issues/:issue_iid/reset_spent_time', 'seerWrite', 'gaps §10 Issues'),

  // Merge requests
  row('GET /merge_requests', 'everyone', 'G-4.2-1', { scope: 'all' }),
  row('GET /projects/:id/merge_requests', 'reporterRead', 'G-4.2-1'),
  row('POST /projects/:id/merge_requests', 'developerWrite', 'G-4.2-7', {
    source_branch: 'a',
    target_branch: 'b',
    title: 't',
  }),
  row('GET /projects/:id/merge_requests/:merge_request_iid', 'reporterRead', 'G-4.2-1'),
  row('PUT /projects/:id/merge_requests/:merge_request_iid', 'readerWrite', 'G-4.2-7', { title: 't' }),
  row('DELETE /projects/:id/merge_requests/:merge_request_iid', 'ownerWrite', 'api.md 5.3'),
  row(
    'PUT /projects/:id/merge_requests/:merge_request_iid/merge',
    'readerWrite',
    'G-4.2-6: not allowed to merge is 401, said by the service',
  ),
  row(
    'POST /projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds',
    'readerWrite',
    'G-4.2-1',
  ),
  row(
    'PUT /projects/:id/merge_requests/:merge_request_iid/rebase',
    'readerWrite',
    'G-4.2-1: no push right is 403, said by the service',
  ),
  row('GET /projects/:id/merge_requests/:merge_request_iid/merge_ref', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/context_commits', 'reporterRead', 'G-4.2-1'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/context_commits', 'readerWrite', 'G-4.2-1', {
    commits: ['c'],
  }),
  row('DELETE /projects/:id/merge_requests/:merge_request_iid/context_commits', 'readerWrite', 'G-4.2-1', {
    commits: ['c'],
  }),
  row('GET /projects/:id/merge_requests/:merge_request_iid/raw_diffs', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/commits', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/changes', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/diffs', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/versions', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/versions/:version_id', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/blocks', 'reporterRead', 'G-4.2-1'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/blocks', 'readerWrite', 'G-4.2-1', {
    blocking_merge_request_id: 1,
  }),
  row('GET /projects/:id/merge_requests/:merge_request_iid/blocks/:block_id', 'reporterRead', 'G-4.2-1'),
  row('DELETE /projects/:id/merge_requests/:merge_request_iid/blocks/:block_id', 'readerWrite', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/blockees', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/pipelines', 'reporterRead', 'G-4.2-1'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/pipelines', 'developerWrite', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/participants', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/reviewers', 'reporterRead', 'G-4.2-1'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/approvals', 'reporterRead', 'G-4.2-8'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/approve', 'developerWrite', 'G-4.2-8'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/unapprove', 'developerWrite', 'G-4.2-8'),
  row('PUT /projects/:id/merge_requests/:merge_request_iid/reset_approvals', 'developerWrite', 'G-4.2-8'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/approval_state', 'reporterRead', 'G-4.2-8'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/approval_rules', 'reporterRead', 'G-4.2-8'),
  row(
    'GET /projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id',
    'reporterRead',
    'G-4.2-8',
  ),
  row('POST /projects/:id/merge_requests/:merge_request_iid/approval_rules', 'developerWrite', 'G-4.2-8', {
    name: 'r',
    approvals_required: 1,
  }),
  row(
    'PUT /projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id',
    'developerWrite',
    'G-4.2-8',
    {
      name: 'r',
      approvals_required: 1,
    },
  ),
  row(
    'DELETE /projects/:id/merge_requests/:merge_request_iid/approval_rules/:approval_rule_id',
    'developerWrite',
    'G-4.2-8',
  ),
  row('GET /projects/:id/approval_rules', 'reporterRead', 'G-4.2-8'),
  row('GET /projects/:id/approval_rules/:approval_rule_id', 'reporterRead', 'G-4.2-8'),
  row('POST /projects/:id/approval_rules', 'maintainerWrite', 'G-4.2-8', {
    name: 'r',
    approvals_required: 1,
  }),
  row('PUT /projects/:id/approval_rules/:approval_rule_id', 'maintainerWrite', 'G-4.2-8', {
    name: 'r',
    approvals_required: 1,
  }),
  row('DELETE /projects/:id/approval_rules/:approval_rule_id', 'maintainerWrite', 'G-4.2-8'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/subscribe', 'readerWrite', 'G-4.2-1'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/unsubscribe', 'readerWrite', 'G-4.2-1'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/todo', 'readerWrite', 'G-4.9-3'),
  ...resourceEventRows('/projects/:id/merge_requests/:merge_request_iid', 'reporterRead'),
  row('GET /projects/:id/merge_requests/:merge_request_iid/time_stats', 'reporterRead', 'G-4.2-1'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/time_estimate', 'readerWrite', 'G-4.2-1', {
    duration: '1h',
  }),
  row('POST /projects/:id/merge_requests/:merge_request_iid/reset_time_estimate', 'readerWrite', 'G-4.2-1'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/add_spent_time', 'readerWrite', 'G-4.2-1', {
    duration: '1h',
  }),
  row('GET /projects/:id/merge_requests/:merge_request_iid/timelogs', 'reporterRead', 'G-4.2-1'),
  row('DELETE /projects/:id/merge_requests/:merge_request_iid/timelogs/:timelog_id', 'readerWrite', 'G-4.2-1'),
  row('POST /projects/:id/merge_requests/:merge_request_iid/reset_spent_time', 'readerWrite', 'G-4.2-1'),

  // Activity events
  row('GET /events', 'userRead', 'G-4.8-5'),
  row('GET /users/:id/events', 'everyone', 'G-4.8-4'),
  row('GET /projects/:id/events', 'openRead', 'G-4.8-4'),

  // Snippets
  row('GET /projects/:id/snippets', 'openRead', 'gaps §10 Snippets'),
  row('POST /projects/:id/snippets', 'reporterWrite', 'gaps §10 Snippets', {
    title: 't',
    visibility: 'private',
    file_name: 'f',
    content: 'c',
  }),
  row('GET /projects/:id/snippets/:snippet_id', 'openRead', 'gaps §10 Snippets'),
  row('GET /projects/:id/snippets/:snippet_id/raw', 'openRead', 'gaps §10 Snippets'),
  row('GET /projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw', 'openRead', 'gaps §10 Snippets'),
  row('PUT /projects/:id/snippets/:snippet_id', 'seerWrite', 'gaps §10 Snippets', { title: 't' }),
  row('DELETE /projects/:id/snippets/:snippet_id', 'seerWrite', 'gaps §10 Snippets'),
  // Who sees and who changes a personal one, the service decides.
  row('GET /snippets', 'userRead', 'gaps §10 Snippets'),
  row('GET /snippets/public', 'everyone', 'gaps §10 Snippets'),
  row('GET /snippets/all', 'userRead', 'gaps §10 Snippets'),
  row('POST /snippets', 'userWrite', 'gaps §10 Snippets', { title: 't', file_name: 'f', content: 'c' }),
  row('GET /snippets/:snippet_id', 'everyone', 'gaps §10 Snippets'),
  row('GET /snippets/:snippet_id/raw', 'everyone', 'gaps §10 Snippets'),
  row('GET /snippets/:snippet_id/files/:ref/:file_path/raw', 'everyone', 'gaps §10 Snippets'),
  row('PUT /snippets/:snippet_id', 'userWrite', 'gaps §10 Snippets', { title: 't' }),
  row('DELETE /snippets/:snippet_id', 'userWrite', 'gaps §10 Snippets'),

  // Notes
  row('GET /projects/:id/repository/commits/:sha/comments', 'readerNotes', 'G-4.6 Commit'),
  row('POST /projects/:id/repository/commits/:sha/comments', 'readerWrite', 'G-4.6 Commit', { note: 'n' }),
  ...noteRows('/projects/:id/snippets/:snippet_id', 'seerNotes', 'seerWrite'),
  ...discussionRows('/projects/:id/snippets/:snippet_id', 'seerNotes', 'seerWrite'),
  ...reactionRows('/projects/:id/snippets/:snippet_id', 'seerNotes', 'seerWrite'),
  ...reactionRows('/projects/:id/snippets/:snippet_id/notes/:note_id', 'seerNotes', 'seerWrite'),
  ...discussionRows('/projects/:id/repository/commits/:commit_id', 'readerNotes', 'readerWrite'),
  ...noteRows('/projects/:id/merge_requests/:merge_request_iid', 'readerNotes', 'readerWrite'),
  ...discussionRows('/projects/:id/merge_requests/:merge_request_iid', 'readerNotes', 'readerWrite'),
  row('PUT /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id', 'readerWrite', 'G-4.7-8', {
    resolved: true,
  }),
  ...draftNoteRows('/projects/:id/merge_requests/:merge_request_iid/draft_notes', 'readerNotes', 'readerWrite'),
  row('PUT /suggestions/:suggestion_id/apply', 'locatedWrite', 'G-5-15'),
  row('PUT /suggestions/batch_apply', 'locatedWrite', 'G-5-15', { ids: [1, 2] }),
  ...reactionRows('/projects/:id/merge_requests/:merge_request_iid', 'readerNotes', 'readerWrite'),
  ...reactionRows('/projects/:id/merge_requests/:merge_request_iid/notes/:note_id', 'readerNotes', 'readerWrite'),

  // The change feed
  row('GET /projects/:id/changes', 'openRead', 'G-6-4'),
  row('GET /projects/:id/changes/stream', 'openRead', 'G-6-4'),
  row('GET /groups/:id/changes', 'openRead', 'G-6-4'),
  row('GET /groups/:id/changes/stream', 'openRead', 'G-6-4'),

  // Merge trains
  row('GET /projects/:id/merge_trains', 'developerRead', 'gaps §4.1'),
  row('GET /projects/:id/merge_trains/:target_branch', 'developerRead', 'gaps §4.1'),
  row('GET /projects/:id/merge_trains/:target_branch/events', 'developerRead', 'gaps §4.1'),
  row('GET /projects/:id/merge_trains/merge_requests/:merge_request_iid', 'developerRead', 'gaps §4.1'),
  row('GET /projects/:id/merge_trains/:target_branch/control', 'developerRead', 'D8'),
  row('GET /projects/:id/merge_trains/:target_branch/forecast', 'developerRead', 'D8'),
  row('GET /projects/:id/merge_trains/:target_branch/statistics', 'developerRead', 'D8'),
  row('PUT /projects/:id/merge_trains/:target_branch/control', 'maintainerWrite', 'D8', { state: 'paused' }),
  row('POST /projects/:id/merge_trains/merge_requests/:merge_request_iid', 'developerWrite', 'G-4.1-4'),
  row('POST /projects/:id/merge_trains/merge_requests/:merge_request_iid', 'maintainerWrite', 'D8', { first: true }),
  row('POST /projects/:id/merge_trains/merge_requests/:merge_request_iid', 'developerWrite', 'D8', { first: 'no' }),
  row('DELETE /projects/:id/merge_trains/merge_requests/:merge_request_iid', 'developerWrite', 'G-4.1-5'),
  row('GET /projects/:id/merge_trains/merge_requests/:merge_request_iid/receipt', 'developerRead', 'gaps §4.1'),

  // Alerts
  row('GET /projects/:id/alert_management/http_integrations', 'maintainerRead', 'G-4.12-17'),
  row('POST /projects/:id/alert_management/http_integrations', 'maintainerWrite', 'G-4.12-17', {
    name: 'n',
    active: true,
  }),
  row('GET /projects/:id/alert_management/http_integrations/:integration_id', 'maintainerRead', 'G-4.12-17'),
  row('PUT /projects/:id/alert_management/http_integrations/:integration_id', 'maintainerWrite', 'G-4.12-17', {
    name: 'n',
  }),
  row('DELETE /projects/:id/alert_management/http_integrations/:integration_id', 'maintainerWrite', 'G-4.12-17'),
  row(
    'POST /projects/:id/alert_management/http_integrations/:integration_id/reset_token',
    'maintainerWrite',
    'G-4.12-17',
  ),
  row('POST /projects/:id/alert_management/http_integrations/:integration_id/test', 'developerWrite', 'G-4.12-17', {
    payload: { a: 1 },
  }),
  row('POST /projects/:id/alert_management/http_integrations/:integration_id/preview', 'maintainerWrite', 'G-4.12-17', {
    payload: { a: 1 },
  }),
  row('GET /projects/:id/alert_management/settings', 'maintainerRead', 'G-4.12-17'),
  row('PUT /projects/:id/alert_management/settings', 'maintainerWrite', 'G-4.12-17', { send_email: true }),

  row('GET /projects/:id/alert_management_alerts', 'developerRead', 'G-4.12-17'),
  row('GET /projects/:id/alert_management_alerts/:alert_iid', 'developerRead', 'G-4.12-17'),
  row('PUT /projects/:id/alert_management_alerts/:alert_iid', 'developerWrite', 'G-4.12-17', { status: 'resolved' }),
  row('POST /projects/:id/alert_management_alerts/:alert_iid/issue', 'developerWrite', 'G-4.12-17'),
  row('POST /projects/:id/alert_management_alerts/:alert_iid/todo', 'developerWrite', 'G-4.9-3'),
  ...noteRows('/projects/:id/alert_management_alerts/:alert_iid', 'developerNotes', 'developerWrite'),
  ...discussionRows('/projects/:id/alert_management_alerts/:alert_iid', 'developerNotes', 'developerWrite'),
  ...reactionRows(
    '/projects/:id/alert_management_alerts/:alert_iid/notes/:note_id',
    'developerNotes',
    'developerWrite',
  ),
  row('GET /projects/:id/alert_management_alerts/:alert_iid/metric_images', 'developerRead', 'G-4.12-16'),
  row('POST /projects/:id/alert_management_alerts/:alert_iid/metric_images', 'developerWrite', 'G-4.12-16'),
  row(
    'GET /projects/:id/alert_management_alerts/:alert_iid/metric_images/:image_id/file',
    'developerRead',
    'G-4.12-16',
  ),
  row('PUT /projects/:id/alert_management_alerts/:alert_iid/metric_images/:image_id', 'developerWrite', 'G-4.12-16'),
  row('DELETE /projects/:id/alert_management_alerts/:alert_iid/metric_images/:image_id', 'developerWrite', 'G-4.12-16'),
  row('GET /projects/:id/alert_management/receipts/:receipt_id', 'developerRead', 'G-4.12-17'),

  // To-dos
  row('GET /todos', 'userRead', 'api.md 4.9'),
  row('POST /todos/:id/mark_as_done', 'userWrite', 'api.md 4.9'),
  row('POST /todos/mark_as_done', 'userWrite', 'api.md 4.9'),
  row('GET /notifications/ledger', 'userRead', 'the ledger'),
  row('GET /notifications/explain', 'userRead', 'the ledger', { target: 'Issue:1' }),
  row('GET /projects/:id/deliveries', 'maintainerRead', 'the ledger'),
  row('GET /projects/:id/deliveries/explain', 'maintainerRead', 'the ledger', { target: '#1', user: '1' }),
  row('GET /notification_settings', 'userRead', 'api.md 4.11'),
  row('PUT /notification_settings', 'userWrite', 'api.md 4.11'),
  row('GET /groups/:id/notification_settings', 'seerNotes', 'G-4.11-4'),
  row('PUT /groups/:id/notification_settings', 'memberWrite', 'G-4.11-4'),
  row('GET /projects/:id/notification_settings', 'seerNotes', 'G-4.11-4'),
  row('PUT /projects/:id/notification_settings', 'seerWrite', 'G-4.11-4'),

  // Webhooks
  ...hookRows('/projects/:id/hooks', 'maintainerRead', 'maintainerWrite'),
  ...hookRows('/groups/:id/hooks', 'ownerRead', 'ownerWrite'),
  ...hookRows('/hooks', 'adminRead', 'adminWrite'),
  row('POST /hooks/:hook_id', 'adminWrite', 'G-6-6'),

  // Integrations
  ...integrationRows('/groups/:id/integrations', 'maintainerRead', 'maintainerWrite', 'G-4.4-1 … G-4.4-4'),
  ...integrationRows('/projects/:id/integrations', 'maintainerRead', 'maintainerWrite', 'G-4.4-12'),
  ...integrationRows('/projects/:id/services', 'maintainerRead', 'maintainerWrite', 'G-4.4-12'),
  ...integrationRows('/admin/integrations', 'adminRead', 'adminWrite', 'G-4.4-6'),

  // Broadcast messages
  row('GET /broadcast_messages', 'everyone', 'api.md 4.13'),
  row('GET /broadcast_messages/:id', 'everyone', 'api.md 4.13'),
  row('POST /broadcast_messages', 'adminWrite', 'G-4.13-3', { message: 'm' }),
  row('PUT /broadcast_messages/:id', 'adminWrite', 'G-4.13-3'),
  row('DELETE /broadcast_messages/:id', 'adminWrite', 'G-4.13-1'),

  // Custom attributes
  ...customAttributeRows('users', 'adminRead', 'adminWrite'),
  ...customAttributeRows('groups', 'adminOfTarget', 'adminOfTarget'),
  ...customAttributeRows('projects', 'adminOfTarget', 'adminOfTarget'),

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

  // Dependency list exports
  row('POST /projects/:id/pipelines/:pipeline_id/artifacts', 'developerWrite', 'G-13-10'),
  row('POST /jobs/:job_id/artifacts', 'locatedDeveloper', 'G-13-10'),
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
  row('POST /pipelines/:pipeline_id/dependency_list_exports', 'locatedDeveloper', 'G-4.14-2'),
  row('POST /projects/:id/dependency_list_exports', 'developerWrite', 'G-4.14-7'),
  row('POST /groups/:id/dependency_list_exports', 'developerWrite', 'G-4.14-7'),
  row('GET /dependency_list_exports/signing_key', 'everyone', 'G-4.14'),
  row('GET /dependency_list_exports/:export_id', 'userRead', 'G-4.14-3'),
  row('GET /dependency_list_exports/:export_id/download', 'userRead', 'G-4.14-4'),
  row('GET /dependency_list_exports/:export_id/signature', 'userRead', 'G-4.14-4'),

  // Files that texts link to
  row('POST /projects/:id/uploads', 'seerWrite', 'ADR 79'),
  row('GET /projects/:id/uploads', 'maintainerRead', 'ADR 79'),
  row('GET /projects/:id/uploads/:upload_id', 'maintainerRead', 'ADR 79'),
  row('DELETE /projects/:id/uploads/:upload_id', 'maintainerWrite', 'ADR 79'),
  row('GET /projects/:id/uploads/:secret/:filename', 'openRead', 'ADR 79'),
  row('DELETE /projects/:id/uploads/:secret/:filename', 'maintainerWrite', 'ADR 79'),

  row('POST /import/forgea/gists', 'userWrite', 'G-4.19-3', { personal_access_token: 't' }),

  // Exports of projects. They change nothing, so an archived project is exported too.
  row('POST /projects/:id/export', 'maintainerWrite', 'ADR 60'),
  row('GET /projects/:id/export', 'maintainerRead', 'ADR 60'),
  row('GET /projects/:id/export/download', 'maintainerRead', 'ADR 60'),
];

const repository = '/projects/:id/repository';
const mergeRequest = '/projects/:id/merge_requests/:merge_request_iid';

/** Operations that take the token of a job (G-5-13): they read its project, and report what it found out. */
export const jobOperations: ReadonlySet<string> = new Set([
  'POST /jobs/:job_id/artifacts',
  'POST /projects/:id/pipelines/:pipeline_id/artifacts',
  'GET /projects/:id/pipelines/:pipeline_id/ci_variables',
  'GET /projects/:id/packages',
  'GET /groups/:id/packages',
  'GET /projects/:id/packages/:package_id',
  'GET /projects/:id/packages/:package_id/pipelines',
  'GET /projects/:id/packages/:package_id/package_files',
  'GET /projects/:id/packages/:package_id/package_files/:package_file_id/download',
  'GET /projects/:id/packages/generic/:package_name/:package_version/*file_path',
  'PUT /projects/:id/packages/generic/:package_name/:package_version/*file_path',
  'PUT /projects/:id/packages/maven/*path',
  'GET /projects/:id/packages/maven/*path',
  'GET /groups/:id/-/packages/maven/*path',
  'GET /packages/maven/*path',
  'POST /projects/:id/packages/pypi',
  'PUT /projects/:id/packages/pypi/yanks/:package_name/:package_version',
  'DELETE /projects/:id/packages/pypi/yanks/:package_name/:package_version',
  'GET /projects/:id/packages/pypi/simple',
  'GET /projects/:id/packages/pypi/simple/*name',
  'GET /projects/:id/packages/pypi/files/:sha256/*file_identifier',
  'GET /groups/:id/-/packages/pypi/simple',
  'GET /groups/:id/-/packages/pypi/simple/*name',
  'GET /groups/:id/-/packages/pypi/files/:sha256/*file_identifier',
  'POST /projects/:id/packages/helm/api/:channel/charts',
  'GET /projects/:id/packages/helm/:channel/index.yaml',
  'GET /projects/:id/packages/helm/:channel/charts/:file_name',
  'GET /projects/:id/packages/go/*module_name/@v/list',
  'GET /projects/:id/packages/go/*module_name/@latest',
  'GET /projects/:id/packages/go/*module_name/@v/:module_version.info',
  'GET /projects/:id/packages/go/*module_name/@v/:module_version.mod',
  'GET /projects/:id/packages/go/*module_name/@v/:module_version.zip',
  ...npmOperations('/projects/:id/packages/npm'),
  ...npmOperations('/groups/:id/-/packages/npm'),
  ...npmOperations('/packages/npm'),
  'GET /projects/:id/packages/npm/*package_name/-/*file_name',
  'PUT /projects/:id/packages/npm/*package_name',
  'PUT /projects/:id/packages/npm/*package_name/-rev/:revision',
  'DELETE /projects/:id/packages/npm/*package_name/-rev/:revision',
  'PUT /projects/:id/packages/npm/-/package/*package_name/dist-tags/:tag',
  'DELETE /projects/:id/packages/npm/-/package/*package_name/dist-tags/:tag',
  `GET ${repository}/tree`,
  `GET ${repository}/blobs/:sha`,
  `GET ${repository}/blobs/:sha/raw`,
  `GET ${repository}/compare`,
  `GET ${repository}/merge_base`,
  `GET ${repository}/contributors`,
  `GET ${repository}/files/:file_path`,
  `GET ${repository}/files/:file_path/raw`,
  `GET ${repository}/files/:file_path/blame`,
  `GET ${repository}/archive`,
  `GET ${repository}/archive.tar.gz`,
  `GET ${repository}/archive.tar.bz2`,
  `GET ${repository}/archive.zip`,
  `GET ${repository}/commits`,
  `GET ${repository}/commits/:sha`,
  `GET ${repository}/commits/:sha/diff`,
  `GET ${repository}/commits/:sha/refs`,
  `GET ${repository}/commits/:sha/merge_requests`,
  `GET ${repository}/commits/:sha/statuses`,
  `GET ${repository}/branches`,
  `GET ${repository}/branches/:branch`,
  `GET ${repository}/tags`,
  `GET ${repository}/tags/:tag_name`,
  'POST /projects/:id/statuses/:sha',
  'POST /projects/:id/deployments',
  'PUT /projects/:id/deployments/:deployment_id',
  'GET /projects/:id/releases',
  'POST /projects/:id/releases',
  'GET /projects/:id/releases/permalink/latest',
  'GET /projects/:id/releases/permalink/latest/downloads/:direct_asset_path',
  'GET /projects/:id/releases/:tag_name',
  'PUT /projects/:id/releases/:tag_name',
  'DELETE /projects/:id/releases/:tag_name',
  'GET /projects/:id/releases/:tag_name/downloads/:direct_asset_path',
  'GET /projects/:id/releases/:tag_name/assets/links',
  'POST /projects/:id/releases/:tag_name/assets/links',
  'GET /projects/:id/releases/:tag_name/assets/links/:link_id',
  'PUT /projects/:id/releases/:tag_name/assets/links/:link_id',
  'DELETE /projects/:id/releases/:tag_name/assets/links/:link_id',
  'GET /projects/:id/pipelines/:pipeline_id',
  'GET /projects/:id/pipelines/:pipeline_id/variables',
  `GET ${mergeRequest}`,
  `GET ${mergeRequest}/merge_ref`,
  `GET ${mergeRequest}/raw_diffs`,
  `GET ${mergeRequest}/commits`,
  `GET ${mergeRequest}/diffs`,
  `GET ${mergeRequest}/changes`,
  `GET ${mergeRequest}/versions`,
  `GET ${mergeRequest}/versions/:version_id`,
  `GET ${mergeRequest}/participants`,
  `GET ${mergeRequest}/reviewers`,
]);
