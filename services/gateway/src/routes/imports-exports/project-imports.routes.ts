import { ProjectImportServiceService } from '@switchyard/protos/imports_exports/v1/project_import';
import { mutuallyExclusive } from '../../http/check-parameters';
import { boolean, documented, hash, integer, oneOf, onlyDefault, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { oneLine } from '../field-facts';

const section = 'Imports';

/** Characters of what a forge is asked with. */
const maxLength = 2_048;

/** Address of a forge, under both its names. */
export const hostname = () =>
  documented(text({ oneLine: true, max: maxLength }), {
    ...{ ...oneLine, maxLength },
    description:
      'Address of a forge of your own, with or without `/api/v3`, and without credentials; none for the hosted one.',
  }).optional();

/** A text of one line that a forge is asked with. */
export const forgeText = (description: string) =>
  documented(text({ notEmpty: true, oneLine: true, max: maxLength }), { ...oneLine, maxLength, description });

/** Token of a forge. */
export const forgeToken = () => forgeText('Token of the forge. It is kept encrypted until the import has ended.');

/** Where a project goes, of every import (G-4.19-8). */
export const targetParams = {
  target_namespace: documented(text({ notEmpty: true }), { description: 'Full path of a namespace.' }),
  new_name: documented(text(), {
    pattern: '^[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$',
    maxLength: 255,
    description: 'Name and path of the project; those of the repository without it.',
  }).optional(),
};

/** What follows when a stage of an import takes long. */
export const timeoutStrategy = () =>
  documented(oneOf('optimistic', 'pessimistic'), {
    description: 'What follows when a stage takes more than a day: the import goes on without it, or fails.',
  }).default('pessimistic');

/** A stage that can be chosen at the forge's importer and is not there: it has to be false. */
const noStage = () => onlyDefault(boolean(), false).optional();

/** Whether files come over that texts link to. */
export const attachments = () =>
  documented(boolean(), {
    description:
      'Files that the forge keeps for texts become uploads of the project, and the texts link to them: at most 10,000, each no larger than an upload may be. One that cannot be had keeps its link, and is named in `failed_relations`.',
  }).optional();

const params = {
  personal_access_token: forgeToken(),
  repo_id: documented(integer({ min: 1 }), { description: 'Id of the repository at the forge.' }),
  ...targetParams,
  forgea_hostname: hostname(),
  github_hostname: hostname(),
  timeout_strategy: timeoutStrategy(),
  pagination_limit: documented(integer({ min: 1, max: 100 }), {
    description: 'Items that are asked for at a time.',
  }).default(100),
  optional_stages: hash({
    single_endpoint_issue_events_import: noStage(),
    single_endpoint_notes_import: documented(boolean(), {
      description: 'All comments come over, also those of large repositories, whether it is true or false.',
    }).optional(),
    attachments_import: attachments(),
    collaborators_import: documented(boolean(), {
      description:
        'Collaborators of the repository become members of the project with the nearest role, once it is known who they are here.',
    }).optional(),
  }).optional(),
};

/** What is said of every import from a forge. */
export const ofForges =
  'The project is there at once, and is filled by and by. Who wrote what comes over is found by confirmed e-mail addresses, where the forge shows them: the caller, and every member where an administrator imports. For all others placeholder users stand. `GET /projects/:id/import` says how it stands. The caller needs the role Maintainer in the namespace.';

/** Imports of projects from other forges (api.md 4.19), under both names of a forge (G-13-1). */
export const projectImportRoutes = [
  defineRoute({
    method: 'post',
    path: '/import/forgea',
    otherPath: '/import/github',
    section,
    summary: 'Import a project from forgea',
    docs: {
      description: `${ofForges} What comes over: the repository with all branches and tags, labels, milestones, issues, pull requests with their reviews, the comments and events of both, and releases.`,
      example: { repo_id: 1, target_namespace: 'acme', personal_access_token: 'token' },
      fails: [422, 429],
    },
    access: 'user',
    groupsIn: ['target_namespace'],
    limit: 'forgea_import',
    params,
    relations: [mutuallyExclusive('forgea_hostname', 'github_hostname')],
    returns: { 201: 'ImportedProject' },
    handle: ({ params: given, call }) =>
      call(ProjectImportServiceService).startForgeaImport({
        personalAccessToken: given.personal_access_token.trim(),
        repoId: given.repo_id,
        newName: given.new_name ?? '',
        targetNamespace: given.target_namespace,
        hostname: (given.forgea_hostname ?? given.github_hostname ?? '').trim(),
        timeoutStrategy: given.timeout_strategy,
        paginationLimit: given.pagination_limit,
        collaboratorsImport: given.optional_stages?.collaborators_import ?? false,
        attachmentsImport: given.optional_stages?.attachments_import ?? false,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/import/forgea/cancel',
    otherPath: '/import/github/cancel',
    section,
    summary: 'Cancel an import from forgea',
    docs: { description: 'What has come over stays. An import that has ended answers 400.' },
    access: { located: 'admin_import' },
    params: { project_id: integer({ min: 1 }) },
    locate: {
      thing: undefined,
      read: 'read_project',
      refusal: 'Unauthorized access',
      place: async ({ params: { project_id: projectId } }) => ({ projectId }),
    },
    returns: { 200: 'CanceledImport' },
    handle: ({ access, call }) => call(ProjectImportServiceService).cancelForgeaImport({ projectId: access.id }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/import',
    section,
    summary: 'Import a project from an archive',
    docs: {
      description:
        'A multipart form with the file of an export as `file`, the last part of the path as `path`, and, where they are wanted, `name`, `namespace` (id or full path; that of the caller without it) and settings as `override_params[<name>]`, in place of those of the archive. The archive is read to its end before anything of it is seen; `GET /projects/:id/import` says how it stands. The caller needs the role Maintainer in the namespace. Texts of the caller are theirs; where an administrator imports, texts are those of the users of these names. For all other authors placeholder users stand.',
      fails: [400, 403, 404, 408, 413, 429],
    },
    access: 'user',
    limit: 'project_import',
    upload: 'file',
    returns: { 201: 'ProjectImport' },
    handle: async () => ({ forward: { to: 'imports-exports', path: '/project_imports' } }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/import',
    section,
    summary: 'Get the import of a project',
    docs: {
      description:
        'Who may not import into the project, which needs the role Maintainer, is shown its status alone: nothing of what failed, and no counts.',
    },
    access: { project: 'read_project' },
    returns: { 200: 'ProjectImport' },
    handle: ({ access, call }) => call(ProjectImportServiceService).getProjectImport({ projectId: access.id }),
  }),
];
