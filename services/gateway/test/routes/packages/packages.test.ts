import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ResolveRequest_TokenKind as Kind } from '@switchyard/protos/groups_admin/v1/access';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, entity, nothing, page } from '@switchyard/rpc';
import { actor, newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const token = { token: 'glpat-packages' };
const listed = {
  id: 5,
  name: 'app',
  version: '1.0',
  package_type: 'generic',
  status: 'default',
  _links: { web_path: '/acme/app/-/packages/5' },
  created_at: '2026-01-02T03:04:05.678Z',
  last_downloaded_at: null,
  tags: [],
};
const path = '/projects/1/packages';
const pipeline = {
  id: 9,
  iid: 1,
  project_id: 1,
  sha: 'a'.repeat(40),
  ref: 'main',
  status: 'success',
  source: 'push',
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
  web_url: 'https://forge.example/acme/app/-/pipelines/9',
  user: null,
};

let gateway: TestGateway;
let service: Server;
let access: ReturnType<typeof projectAccess> | undefined;
let isAnonymous = false;
const forwarded: { method: string; url: string; body: string }[] = [];
const presented: { token: string; tokenKind: Kind; username: string }[] = [];

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

beforeAll(async () => {
  service = createServer(async (request, response) => {
    forwarded.push({ method: request.method ?? '', url: request.url ?? '', body: await textOf(request) });
    if (request.method === 'PUT' || request.method === 'POST')
      response.writeHead(201, { 'Content-Type': 'application/json' }).end('{"message":"201 Created"}');
    else response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end('a file');
  });
  await new Promise<void>((settle) => service.listen(0, '127.0.0.1', settle));
  const info = { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false };
  gateway = await startTestGateway({
    access: (request) => {
      presented.push(request);
      const { tokenKind, target } = request;
      const scopes = ['read_package_registry', 'write_package_registry'];
      const found = target?.$case === 'group' && access ? { ...access, kind: Access_Kind.KIND_GROUP } : access;
      if (tokenKind === Kind.TOKEN_KIND_DEPLOY)
        return resolved({ access: found, actor: { ...anonymous, external: true, deployTokenId: 5, scopes } });
      if (tokenKind === Kind.TOKEN_KIND_JOB)
        return resolved({ access: found, actor: actor({ scopes: [], job: { projectId: 1, pipelineId: 9 } }) });
      return resolved({ access: found, ...(isAnonymous ? { actor: anonymous } : {}) });
    },
    config: { PACKAGES_HTTP_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` },
    fakes: {
      'PackageService/ListProjectPackages': async () => page([listed], info),
      'PackageService/ListGroupPackages': async () =>
        page([{ ...listed, project_id: 1, project_path: 'acme/app' }], info),
      'PackageService/GetPackage': async () => entity({ ...listed, versions: [] }),
      'PackageService/ListPackagePipelines': async () =>
        page([pipeline], { keyset: true, page: 1, perPage: 20, total: 0, hasNext: true, nextCursor: 'next' }),
      'PackageService/DeletePackage': async () => nothing(),
      'PackageSettingsService/UpdatePackageSettings': async () =>
        entity({
          generic_duplicates_allowed: false,
          generic_duplicate_exception_regex: '',
          maven_duplicates_allowed: true,
          maven_duplicate_exception_regex: 'a',
        }),
    },
  });
});
beforeEach(() => {
  access = projectAccess({ level: 40 });
  isAnonymous = false;
});
afterAll(async () => {
  await gateway?.close();
  service?.close();
});

const lastRequest = () => gateway.calls.at(-1)?.request;

it('lists with every filter, and shows a package (G-4.17-7)', async () => {
  const query =
    'package_type=npm&package_name=a&package_version=1&include_versionless=true&status=hidden&order_by=type';
  expect(await gateway.send('GET', `${path}?${query}`, token)).toMatchObject({ status: 200, body: [listed] });
  expect(lastRequest()).toMatchObject({
    filter: { packageType: 'npm', packageName: 'a', packageVersion: '1', includeVersionless: true, status: 'hidden' },
    page: { orderBy: 'type' },
  });
  expect(await gateway.send('GET', `${path}?package_type=ml_model`, token)).toMatchObject({ status: 200 });
  expect(lastRequest()).toMatchObject({ filter: { packageType: 'ml_model' } });
  expect(await gateway.send('GET', `${path}?package_type=x&status=y&order_by=z`, token)).toMatchObject({
    status: 400,
    body: {
      error:
        'package_type does not have a valid value, status does not have a valid value, order_by does not have a valid value',
    },
  });
  expect(await gateway.send('GET', '/groups/1/packages?package_type=terraform_module', token)).toMatchObject({
    status: 400,
  });
  expect(await gateway.send('GET', `${path}/5`, token)).toMatchObject({ status: 200 });
});

it('pages the pipelines of a package by cursors alone, 20 at most (G-4.17-1)', async () => {
  const reply = await gateway.send('GET', `${path}/5/pipelines?cursor=abc&page=3`, token);
  expect(reply).toMatchObject({ status: 200, body: [pipeline] });
  expect(reply.headers.get('x-next-cursor')).toBe('next');
  expect(lastRequest()).toMatchObject({ packageId: 5, page: { keyset: true, cursor: 'abc', page: 1, perPage: 20 } });
  for (const perPage of [-1, 0, 21])
    expect(await gateway.send('GET', `${path}/5/pipelines?per_page=${perPage}`, token)).toMatchObject({
      status: 400,
      body: { error: 'per_page does not have a valid value' },
    });
});

it('streams a file on as it was sent, whatever its type, with its path kept encoded (G-4.17-10)', async () => {
  const reply = await gateway.send('PUT', `${path}/generic/a%2Fb/1.0/x/y%2Fz?status=hidden`, {
    ...token,
    raw: 'name=not%20a%20parameter',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  expect(reply.status).toBe(201);
  expect(forwarded.at(-1)).toEqual({
    method: 'PUT',
    url: '/projects/1/packages/generic/a%2Fb/1.0/x%2Fy%2Fz?status=hidden',
    body: 'name=not%20a%20parameter',
  });
});

it('asks a package manager without a token for one, whether the project is there or not (G-4.17-12)', async () => {
  isAnonymous = true;
  access = undefined;
  const reply = await gateway.send('GET', `${path}/generic/a/1.0/x`);
  expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Switchyard"']);
  expect((await gateway.send('GET', path)).status).toBe(404);
  access = projectAccess({ level: 0, visibility: 'public' });
  expect((await gateway.send('GET', `${path}/generic/a/1.0/x`)).status).toBe(200);
});

it('passes the paths of Maven and Python packages on, of a project, a group and the instance', async () => {
  const asked = [
    [
      '/projects/1/packages/maven/com/acme/app/1.0/app-1.0.jar.sha1',
      '/projects/1/packages/maven/com%2Facme%2Fapp%2F1.0%2Fapp-1.0.jar.sha1',
    ],
    ['/packages/maven/com/acme/maven-metadata.xml', '/packages/maven/com%2Facme%2Fmaven-metadata.xml'],
    ['/projects/1/packages/pypi/simple/', '/projects/1/packages/pypi/simple'],
    ['/projects/1/packages/pypi/simple/my-app/', '/projects/1/packages/pypi/simple/my-app'],
    [
      `/projects/1/packages/pypi/files/${'a'.repeat(64)}/x-1.whl`,
      `/projects/1/packages/pypi/files/${'a'.repeat(64)}/x-1.whl`,
    ],
  ] as const;
  for (const [sent, url] of asked) {
    expect((await gateway.send('GET', sent, token)).status).toBe(200);
    expect(forwarded.at(-1)?.url).toBe(url);
  }
  expect((await gateway.send('PUT', '/projects/1/packages/maven/a/b/1/b-1.jar', { ...token, raw: 'x' })).status).toBe(
    201,
  );
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  await gateway.send('POST', '/projects/1/packages/pypi?name=app', { ...token, raw: '--b--', headers });
  expect(forwarded.at(-1)).toEqual({ method: 'POST', url: '/projects/1/packages/pypi?name=app', body: '--b--' });
});

const basic = (username: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});
const user = Kind.TOKEN_KIND_UNSPECIFIED;
const ways: [
  way: string,
  prefix: string,
  headers: (token: string) => Record<string, string>,
  kind: Kind,
  name: string,
][] = [
  ['PRIVATE-TOKEN', 'glpat-', (sent) => ({ 'PRIVATE-TOKEN': sent }), user, ''],
  ['Bearer', 'glpat-', (sent) => ({ Authorization: `Bearer ${sent}` }), user, ''],
  ['Bearer with a job token', 'glcbt-', (sent) => ({ Authorization: `Bearer ${sent}` }), Kind.TOKEN_KIND_JOB, ''],
  ['Bearer with a deploy token', 'gldt-', (sent) => ({ Authorization: `Bearer ${sent}` }), Kind.TOKEN_KIND_DEPLOY, ''],
  ['JOB-TOKEN', 'glcbt-', (sent) => ({ 'JOB-TOKEN': sent }), Kind.TOKEN_KIND_JOB, ''],
  ['Deploy-Token', 'gldt-', (sent) => ({ 'Deploy-Token': sent }), Kind.TOKEN_KIND_DEPLOY, ''],
  ['Basic with a personal token', 'glpat-', (sent) => basic('anyone', sent), user, ''],
  ['Basic with a deploy token', 'gldt-', (sent) => basic('cluster', sent), Kind.TOKEN_KIND_DEPLOY, 'cluster'],
  ['Basic as gitlab-ci-token', 'glcbt-', (sent) => basic('gitlab-ci-token', sent), Kind.TOKEN_KIND_JOB, ''],
];
const sha256 = 'a'.repeat(64);
const places: [method: string, path: string][] = [
  ['PUT', '/projects/1/packages/generic/a/1.0/x'],
  ['GET', '/projects/1/packages/generic/a/1.0/x'],
  ['PUT', '/projects/1/packages/maven/a/b/1/b-1.jar'],
  ['GET', '/projects/1/packages/maven/a/b/1/b-1.jar'],
  ['GET', '/groups/1/-/packages/maven/a/b/1/b-1.jar'],
  ['GET', '/packages/maven/a/b/1/b-1.jar'],
  ['PUT', '/projects/1/packages/npm/@acme%2Fapp'],
  ['PUT', '/projects/1/packages/npm/-/package/@acme%2fapp/dist-tags/next'],
  ['GET', '/projects/1/packages/npm/@acme/app/-/app-1.0.0.tgz'],
  ['GET', '/groups/1/-/packages/npm/@acme%2fapp'],
  ['GET', '/packages/npm/@acme%2Fapp'],
  ['POST', '/projects/1/packages/pypi'],
  ['GET', `/projects/1/packages/pypi/files/${sha256}/x-1.whl`],
  ['GET', '/groups/1/-/packages/pypi/simple/my-app/'],
  ['POST', '/projects/1/packages/helm/api/stable/charts'],
  ['GET', '/projects/1/packages/helm/stable/index.yaml'],
  ['GET', '/projects/1/packages/helm/stable/charts/app-1.0.0.tgz'],
  ['GET', '/projects/1/packages/go/forge.example/acme/app/@v/v1.0.0.zip'],
  ['GET', '/projects/1/packages/5/package_files/6/download'],
];
const multipart = { 'Content-Type': 'multipart/form-data; boundary=b' };

it.each(ways)('takes %s wherever package managers come in (G-4.17-12)', async (_way, prefix, headersOf, kind, name) => {
  access = projectAccess({ level: 40 });
  for (const [method, where] of places) {
    const before = forwarded.length;
    const sent = `${prefix}${newToken().token.replaceAll(' ', '-')}`;
    const body = method === 'GET' ? {} : { body: '--b--' };
    const headers = { ...headersOf(sent), ...(method === 'POST' ? multipart : {}) };
    // Not by the gateway of tests, which holds the reply of the stand-in against that of each endpoint.
    const { status } = await fetch(`${gateway.url}/api/v4${where}`, { method, headers, ...body });
    expect([where, status, forwarded.length]).toEqual([where, method === 'GET' ? 200 : 201, before + 1]);
    expect(presented.at(-1)).toMatchObject({ token: sent, tokenKind: kind, username: name });
  }
});

it('npm is told why in `error`, the one field that it prints', async () => {
  const npm = (method: string, at: string) =>
    gateway.send(method, `/projects/1/packages/npm/${at}`, { token: 'glpat-npm', raw: Buffer.from('{}') });
  access = projectAccess({ level: 20 });
  expect((await npm('PUT', 'app')).body).toEqual({ message: '403 Forbidden', error: '403 Forbidden' });
  access = undefined;
  const none = '404 Project Not Found';
  expect((await npm('PUT', 'app')).body).toEqual({ message: none, error: none });
  expect((await gateway.send('DELETE', '/projects/1/packages/5', { token: 'glpat-npm' })).body).toEqual({
    message: none,
  });
});

it('passes the paths of Go modules and Helm charts on, with what Go writes in them kept', async () => {
  const go = '/projects/1/packages/go/forge.example/!acme/app';
  const asked = [
    [`${go}/@v/list`, 'golang/forge.example%2F!acme%2Fapp/list'],
    [`${go}/@latest`, 'golang/forge.example%2F!acme%2Fapp/latest'],
    [`${go}/v2/@v/v2.0.0-!r!c.1.info`, 'golang/forge.example%2F!acme%2Fapp%2Fv2/info/v2.0.0-!r!c.1'],
    [`${go}/@v/main.info`, 'golang/forge.example%2F!acme%2Fapp/info/main'],
    [`${go}/@v/v1.2.3.mod`, 'golang/forge.example%2F!acme%2Fapp/mod/v1.2.3'],
    [`${go}/@v/v1.2.3%2bincompatible.zip`, 'golang/forge.example%2F!acme%2Fapp/zip/v1.2.3%2Bincompatible'],
    ['/projects/1/packages/helm/stable/index.yaml', 'helm/stable/index'],
    ['/projects/1/packages/helm/stable/charts/app-1.0.0+1.tgz', 'helm/stable/charts/app-1.0.0%2B1.tgz'],
  ] as const;
  for (const [sent, url] of asked) {
    await fetch(`${gateway.url}/api/v4${sent}`, { headers: { 'PRIVATE-TOKEN': token.token } });
    expect(forwarded.at(-1)?.url).toBe(`/projects/1/packages/${url}`);
  }
});

it('changes those package settings of a group that are given (G-4.17-10)', async () => {
  access = projectAccess({ level: 50 });
  const body = { generic_duplicates_allowed: 'false', maven_duplicate_exception_regex: 'a' };
  const reply = await gateway.send('PATCH', '/groups/1/packages/settings', { ...token, body });
  expect(reply).toMatchObject({ status: 200, body: { generic_duplicates_allowed: false } });
  expect(lastRequest()).toMatchObject({
    groupId: 1,
    duplicates: [
      { format: 'generic', allowed: false, exceptions: undefined },
      { format: 'maven', allowed: undefined, exceptions: 'a' },
    ],
  });
  for (const refused of [{}, { maven_duplicate_exception_regex: 'x'.repeat(256) }])
    expect((await gateway.send('PATCH', '/groups/1/packages/settings', { ...token, body: refused })).status).toBe(400);
});
