import { documented, integer, text } from '../../http/params';
import { defineRoute, type Forward, type Raw, type Route, type RouteAccess } from '../../http/route';
import { managerRead, managerWrite, registryRead, toPackages } from './registry';

const section = 'Packages';
const projectPath = '/projects/:id/packages/npm' as const;

const package_name = documented(text(), {
  minLength: 1,
  maxLength: 214,
  description: 'The name, with its scope; its `/` may be written `%2f`.',
});
const named = { package_name };
const tagged = { ...named, tag: documented(text(), { minLength: 1, maxLength: 255 }) };
const revised = {
  package_name: documented(text(), {
    minLength: 1,
    description: 'The name; followed by `/-/` and the name of a tarball for its version alone.',
  }),
  revision: documented(text(), { minLength: 1, maxLength: 255, description: '`_rev` of the metadata.' }),
};

/** Where a registry is: of a project, of the projects below a group, of all of them. */
interface Place {
  readonly path: string;
  readonly of: string;
  readonly access: RouteAccess;
  readonly user: RouteAccess;
  readonly target: (id: number) => readonly (string | number)[];
}

const places: readonly Place[] = [
  {
    path: projectPath,
    of: 'in a project',
    access: { project: 'read_package' },
    user: { project: 'read_package' },
    target: (id) => ['projects', id],
  },
  {
    path: '/groups/:id/-/packages/npm',
    of: 'in a group',
    access: { group: 'read_group_package' },
    user: { group: 'read_group_package' },
    target: (id) => ['groups', id],
  },
  { path: '/packages/npm', of: 'on the instance', access: 'public', user: 'user', target: () => [] },
];

const json = (value: object): Raw => ({ raw: Buffer.from(JSON.stringify(value)), contentType: 'application/json' });

/** What npm reads at each of its registries (G-4.17-14, G-4.17-15). */
function readRoutes({ path, of, access, user, target }: Place): Route[] {
  const reads = access === 'public' ? registryRead : managerRead;
  const toNpm = (
    given: { readonly id: number } | undefined,
    parts: readonly string[],
    query?: Record<string, string>,
  ): Forward => toPackages([...target(given?.id ?? 0), 'npm', ...parts], query);
  const audit = {
    method: 'post',
    section,
    access,
    ...reads,
    // Nothing is written: what anyone may ask for without a token needs no scope with one.
    scopes: access === 'public' ? ('any' as const) : reads.scopes,
    streams: true,
  } as const;
  return [
    defineRoute({
      method: 'get',
      path: `${path}/*package_name`,
      section,
      summary: `Get the metadata of an npm package ${of}`,
      docs: {
        description:
          'Whole, or what installing needs where `Accept` has `application/vnd.npm.install-v1+json`. Redirects (302) to another registry for a name that is not here, where the installation forwards.',
      },
      access,
      ...reads,
      path_params: named,
      returns: { 200: 'NpmMetadata' },
      handle: async ({ access: at, path: { package_name: name } }) => toNpm(at, ['metadata', name]),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/-/package/*package_name/dist-tags`,
      section,
      summary: `Get the dist-tags of an npm package ${of}`,
      access,
      ...reads,
      path_params: named,
      returns: { 200: 'NpmDistTags' },
      handle: async ({ access: at, path: { package_name: name } }) => toNpm(at, ['tags', name]),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/-/v1/search`,
      section,
      summary: `Search for npm packages ${of}`,
      access,
      ...reads,
      params: {
        text: documented(text(), { maxLength: 255, description: 'Part of the name, in any case.' }).default(''),
        size: integer({ min: 1, max: 250 }).default(20),
        from: integer({ min: 0, max: 10_000 }).default(0),
      },
      returns: { 200: 'NpmSearch' },
      handle: async ({ access: at, params }) =>
        toNpm(at, ['search'], { text: params.text, size: String(params.size), from: String(params.from) }),
    }),
    defineRoute({
      ...audit,
      path: `${path}/-/npm/v1/security/advisories/bulk`,
      summary: `List advisories on npm packages ${of}`,
      docs: { description: 'Always empty: Switchyard keeps no advisories.', fails: [408, 413] },
      returns: { 200: 'NpmNothing' },
      handle: async ({ access: at }) => toNpm(at, ['advisories']),
    }),
    defineRoute({
      ...audit,
      path: `${path}/-/npm/v1/security/audits/quick`,
      summary: `Audit npm packages ${of}`,
      docs: { description: 'Finds nothing: Switchyard keeps no advisories.', fails: [408, 413] },
      returns: { 200: 'NpmAudit' },
      handle: async ({ access: at }) => toNpm(at, ['audit']),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/-/ping`,
      section,
      summary: `Ping the npm registry ${of}`,
      access,
      ...reads,
      returns: { 200: 'NpmNothing' },
      handle: async () => json({}),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/-/whoami`,
      section,
      summary: `Get the caller of the npm registry ${of}`,
      docs: { description: 'The username; of a deploy token, which has no user, `deploy-token-` and its id.' },
      access: user,
      needsToken: user !== 'user',
      ...reads,
      returns: { 200: 'NpmUser' },
      handle: async ({ actor }) => json({ username: actor.username || `deploy-token-${actor.deployTokenId ?? 0}` }),
    }),
  ];
}

const ofProject = (id: number, ...parts: string[]): Forward => toPackages(['projects', id, 'npm', ...parts]);

const routes: readonly Route[] = [
  ...places.flatMap(readRoutes),
  defineRoute({
    method: 'get',
    path: `${projectPath}/*package_name/-/*file_name`,
    section,
    summary: 'Download the tarball of an npm package',
    docs: { contentTypes: ['application/octet-stream'] },
    access: { project: 'read_package' },
    ...managerRead,
    path_params: { ...named, file_name: documented(text(), { minLength: 1, maxLength: 255 }) },
    returns: { 200: undefined },
    handle: async ({ access, path: at }) => ofProject(access.id, 'tarballs', at.package_name, at.file_name),
  }),
  defineRoute({
    method: 'put',
    path: `${projectPath}/*package_name`,
    section,
    summary: 'Publish a version of an npm package, or deprecate versions',
    docs: {
      description:
        "npm's document: one version and its tarball, of at most 500 MiB, in `_attachments`. Without a tarball the `deprecated` texts of its `versions` are taken over.",
      fails: [408, 413],
    },
    access: { project: 'create_package' },
    ...managerWrite,
    path_params: named,
    streams: true,
    returns: { 200: 'NpmNothing' },
    handle: async ({ access, path: at }) => ofProject(access.id, 'metadata', at.package_name),
  }),
  defineRoute({
    method: 'put',
    path: `${projectPath}/*package_name/-rev/:revision`,
    section,
    summary: 'Replace the versions of an npm package',
    docs: {
      description: 'Deletes the versions that the document leaves out; takes over its dist-tags and deprecations.',
      fails: [408, 409, 413],
    },
    access: { project: 'delete_package' },
    ...managerWrite,
    path_params: revised,
    streams: true,
    returns: { 200: 'NpmNothing' },
    handle: async ({ access, path: at }) => ofProject(access.id, 'revisions', at.package_name, at.revision),
  }),
  defineRoute({
    method: 'delete',
    path: `${projectPath}/*package_name/-rev/:revision`,
    section,
    summary: 'Unpublish an npm package, or a version of it',
    docs: { fails: [409] },
    access: { project: 'delete_package' },
    ...managerWrite,
    path_params: revised,
    streams: true,
    returns: { 200: 'NpmNothing' },
    handle: async ({ access, path: at }) => ofProject(access.id, 'revisions', at.package_name, at.revision),
  }),
  defineRoute({
    method: 'put',
    path: `${projectPath}/-/package/*package_name/dist-tags/:tag`,
    section,
    summary: 'Set a dist-tag of an npm package',
    docs: { description: 'The body is the version, as a JSON string.', fails: [408, 413] },
    access: { project: 'create_package' },
    createsNamed: true,
    ...managerWrite,
    path_params: tagged,
    streams: true,
    returns: { 204: undefined },
    handle: async ({ access, path: at }) => ofProject(access.id, 'tags', at.package_name, at.tag),
  }),
  defineRoute({
    method: 'delete',
    path: `${projectPath}/-/package/*package_name/dist-tags/:tag`,
    section,
    summary: 'Delete a dist-tag of an npm package',
    access: { project: 'delete_package' },
    ...managerWrite,
    path_params: tagged,
    streams: true,
    returns: { 204: undefined },
    handle: async ({ access, path: at }) => ofProject(access.id, 'tags', at.package_name, at.tag),
  }),
];

/** npm's registry protocol (G-4.17-13 … G-4.17-15). */
export const npmRoutes: readonly Route[] = routes.map((route) => ({ ...route, errorText: true }));
