import { documented, text } from '../../http/params';
import { defineRoute, type Route } from '../../http/route';
import { managerRead, toPackages } from './registry';

const path = '/projects/:id/packages/go/*module_name' as const;
const named = {
  module_name: documented(text(), {
    minLength: 1,
    maxLength: 1_024,
    description: 'Path of the module; capital letters are written with `!` before the small one.',
  }),
};
const versioned = {
  ...named,
  module_version: documented(text(), { minLength: 1, maxLength: 256, description: 'Version, such as `v1.2.3`.' }),
};
const common = { method: 'get', section: 'Packages', access: { project: 'read_package' }, ...managerRead } as const;

const ofVersion = (form: 'info' | 'mod' | 'zip', summary: string, description: string, contentType?: string): Route =>
  defineRoute({
    ...common,
    path: `${path}/@v/:module_version.${form}`,
    summary,
    docs: contentType === undefined ? { description } : { description, contentTypes: [contentType] },
    path_params: versioned,
    returns: { 200: form === 'info' ? 'GoModuleVersion' : undefined },
    handle: async ({ access, path: at }) =>
      toPackages(['projects', access.id, 'packages', 'golang', at.module_name, form, at.module_version]),
  });

/** Go modules, which are tags of the project's repository (G-4.17-12). */
export const golangRoutes = [
  defineRoute({
    ...common,
    path: `${path}/@v/list`,
    summary: 'List the versions of a Go module',
    docs: {
      description: 'One a line, from the lowest to the highest: tags of the repository. Callers need to read its code.',
      contentTypes: ['text/plain'],
    },
    path_params: named,
    returns: { 200: undefined },
    handle: async ({ access, path: at }) =>
      toPackages(['projects', access.id, 'packages', 'golang', at.module_name, 'list']),
  }),
  defineRoute({
    ...common,
    path: `${path}/@latest`,
    summary: 'Get the latest version of a Go module',
    docs: { description: 'The highest release, else the highest version before one, else that of the default branch.' },
    path_params: named,
    returns: { 200: 'GoModuleVersion' },
    handle: async ({ access, path: at }) =>
      toPackages(['projects', access.id, 'packages', 'golang', at.module_name, 'latest']),
  }),
  ofVersion(
    'info',
    'Get a version of a Go module',
    'For a branch or the beginning of a commit id the version that it has, or a pseudo-version.',
  ),
  ofVersion('mod', 'Get the go.mod of a version of a Go module', 'The file as it is in the repository.', 'text/plain'),
  ofVersion(
    'zip',
    'Get a version of a Go module',
    'The files of the module as a zip, at most 500 MiB and 50,000 files. A module that breaks the published rules of such zips is not found; the reply names the rule.',
    'application/zip',
  ),
];
