import { ProjectImportServiceService } from '@switchyard/protos/imports_exports/v1/project_import';
import { exactlyOne } from '../../http/check-parameters';
import { hash } from '../../http/params';
import { defineRoute } from '../../http/route';
import { attachments, forgeText, forgeToken, ofForges, targetParams, timeoutStrategy } from './project-imports.routes';

const section = 'Imports';

const username = () => forgeText('User at the forge, to whom the password belongs.').optional();
const email = () => forgeText('E-mail address at the forge of the user to whom the API token belongs.').optional();
const secret = () => forgeToken().optional();

/** Parameters that name the user of the cloud. */
export const usernames = ['forgeb_username', 'bitbucket_username', 'forgeb_email', 'bitbucket_email'] as const;
/** Parameters that hold the password of the cloud. */
export const secrets = [
  'forgeb_app_password',
  'bitbucket_app_password',
  'forgeb_api_token',
  'bitbucket_api_token',
] as const;

/** A parameter of the server under both its names (G-4.19-10). */
const serverNames = (name: string) => [`forgeb_server_${name}`, `bitbucket_server_${name}`] as const;

const address = () => forgeText('Address of the server, as its users have it, without credentials.').optional();
const serverUser = () => forgeText('User of the server, to whom the token belongs.').optional();
const key = () => forgeText('Key of the project at the server.').optional();
const repository = () => forgeText('Name of the repository, as its address has it.').optional();

/** Who asks the cloud, under all names of it. */
export const cloudCredentials = () => ({
  ...{ forgeb_username: username(), bitbucket_username: username() },
  ...{ forgeb_email: email(), bitbucket_email: email() },
  ...{ forgeb_app_password: secret(), bitbucket_app_password: secret() },
  ...{ forgeb_api_token: secret(), bitbucket_api_token: secret() },
});

/** Parameters that name the user of a server. */
export const serverUsernames = ['forgeb_server_username', 'bitbucket_server_username'] as const;

/** Who asks a server, under both names of it. */
export const serverUsers = () => ({ forgeb_server_username: serverUser(), bitbucket_server_username: serverUser() });

/** The one that was sent of parameters of which at most one is; empty for none. */
export const sent = (...values: readonly (string | undefined)[]): string =>
  values.find((value) => value !== undefined)?.trim() ?? '';

/** The one stage that can be chosen. */
const withAttachments = () => ({ optional_stages: hash({ attachments_import: attachments() }).optional() });

/** Imports of projects from forgeb, cloud and server (G-4.19-4, G-4.19-5), under both names of the forge (G-13-1). */
export const forgebImportRoutes = [
  defineRoute({
    method: 'post',
    path: '/import/forgeb',
    otherPath: '/import/bitbucket',
    section,
    summary: 'Import a project from the cloud of forgeb',
    docs: {
      description: `${ofForges} What comes over: the repository with all branches and tags, milestones, issues with their kinds as labels, pull requests with what reviewers decided, and the comments on both.`,
      example: {
        ...{ forgeb_username: 'octocat', forgeb_app_password: 'password', repo_path: 'octo/things' },
        target_namespace: 'acme',
      },
      fails: [401, 404, 422, 429],
    },
    access: 'user',
    groupsIn: ['target_namespace'],
    limit: 'forgeb_import',
    params: {
      repo_path: forgeText('The repository as `workspace/repository`.'),
      ...targetParams,
      ...cloudCredentials(),
      ...withAttachments(),
    },
    relations: [exactlyOne(...usernames), exactlyOne(...secrets)],
    returns: { 201: 'ImportedProject' },
    handle: ({ params: given, call }) =>
      call(ProjectImportServiceService).startForgebImport({
        username: sent(...usernames.map((name) => given[name])),
        password: sent(...secrets.map((name) => given[name])),
        repoPath: given.repo_path.trim(),
        targetNamespace: given.target_namespace,
        newName: given.new_name ?? '',
        attachmentsImport: given.optional_stages?.attachments_import ?? false,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/import/forgeb_server',
    otherPath: '/import/bitbucket_server',
    section,
    summary: 'Import a project from a server of forgeb',
    docs: {
      description: `${ofForges} What comes over: the repository with all branches and tags, and pull requests with what reviewers decided and their comments.`,
      example: {
        ...{ forgeb_server_url: 'https://forge.example', forgeb_server_username: 'octocat' },
        ...{ personal_access_token: 'token', forgeb_server_project: 'OCTO', forgeb_server_repo: 'things' },
      },
      fails: [401, 404, 422, 429],
    },
    access: 'user',
    groupsIn: ['target_namespace'],
    limit: 'forgeb_import',
    params: {
      personal_access_token: forgeToken(),
      ...targetParams,
      target_namespace: targetParams.target_namespace.optional(),
      timeout_strategy: timeoutStrategy(),
      ...withAttachments(),
      ...{ forgeb_server_url: address(), bitbucket_server_url: address() },
      ...serverUsers(),
      ...{ forgeb_server_project: key(), bitbucket_server_project: key() },
      ...{ forgeb_server_repo: repository(), bitbucket_server_repo: repository() },
    },
    relations: ['url', 'username', 'project', 'repo'].map((name) => exactlyOne(...serverNames(name))),
    returns: { 201: 'ImportedProject' },
    handle: ({ params: given, call }) =>
      call(ProjectImportServiceService).startForgebServerImport({
        serverUrl: sent(given.forgeb_server_url, given.bitbucket_server_url),
        username: sent(given.forgeb_server_username, given.bitbucket_server_username),
        personalAccessToken: given.personal_access_token.trim(),
        project: sent(given.forgeb_server_project, given.bitbucket_server_project),
        repo: sent(given.forgeb_server_repo, given.bitbucket_server_repo),
        targetNamespace: given.target_namespace ?? '',
        newName: given.new_name ?? '',
        timeoutStrategy: given.timeout_strategy,
        attachmentsImport: given.optional_stages?.attachments_import ?? false,
      }),
  }),
];
