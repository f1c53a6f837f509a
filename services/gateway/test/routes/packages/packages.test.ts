import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anonymous, entity, nothing, page } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

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
};

let gateway: TestGateway;
let service: Server;
let access: ReturnType<typeof projectAccess> | undefined;
let isAnonymous = false;
const forwarded: { method: string; url: string; body: string }[] = [];

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
    access: () => resolved({ access, ...(isAnonymous ? { actor: anonymous } : {}) }),
    config: { PACKAGES_HTTP_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` },
    fakes: {
      'PackageService/ListProjectPackages': async () => page([listed], info),
      'PackageService/ListGroupPackages': async () =>
        page([{ ...listed, project_id: 1, project_path: 'acme/app' }], info),
      'PackageService/GetPackage': async () => entity({ ...listed, versions: [] }),
      'PackageService/ListPackagePipelines': async () =>
        page([pipeline], { keyset: true, page: 1, perPage: 20, total: 0, hasNext: true, nextCursor: 'next' }),
      'PackageService/DeletePackage': async () => nothing(),
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
