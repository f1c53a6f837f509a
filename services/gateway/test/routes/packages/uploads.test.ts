import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anonymous, nothing, page } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const token = { token: 'glpat-uploads' };
const secret = '0123456789abcdef'.repeat(2);
const path = '/projects/1/uploads';
const made = {
  id: 5,
  alt: 'load',
  url: `/uploads/${secret}/load.png`,
  full_path: `/-/project/1/uploads/${secret}/load.png`,
  markdown: `![load](/uploads/${secret}/load.png)`,
};
const listed = {
  id: 5,
  size: 1_024,
  filename: 'load.png',
  created_at: '2026-01-02T03:04:05.678Z',
  uploaded_by: { id: 7, name: 'Ada', username: 'ada' },
};

let gateway: TestGateway;
let service: Server;
let access: ReturnType<typeof projectAccess> | undefined;
const forwarded: string[] = [];

beforeAll(async () => {
  service = createServer((request, response) => {
    forwarded.push(`${request.method} ${request.url}`);
    request.resume().once('end', () => {
      if (request.method === 'POST')
        response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(made));
      else response.writeHead(200, { 'Content-Type': 'image/png' }).end('picture');
    });
  });
  await new Promise<void>((settle) => service.listen(0, '127.0.0.1', settle));
  gateway = await startTestGateway({
    access: ({ token: sent, target }) => {
      const named = target?.value === '1' || target?.value === 'acme/app';
      if (target?.value === 'acme/old') return resolved({ movedTo: 1 });
      return resolved({ access: named ? access : undefined, ...(sent === '' ? { actor: anonymous } : {}) });
    },
    config: { PACKAGES_HTTP_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}` },
    fakes: {
      'UploadService/ListUploads': async () =>
        page([listed], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false }),
      'UploadService/DeleteUpload': async () => nothing(),
      'UploadService/DeleteUploadBySecret': async () => nothing(),
    },
  });
});
beforeEach(() => {
  forwarded.length = 0;
  access = projectAccess({ level: 40 });
});
afterAll(async () => {
  await gateway.close();
  service.closeAllConnections();
  await new Promise((settle) => service.close(settle));
});

it('streams a file on, and lists and deletes uploads', async () => {
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  expect(await gateway.send('POST', path, { ...token, headers, raw: '--b--' })).toMatchObject({
    status: 201,
    body: made,
  });
  expect(await gateway.send('GET', path, token)).toMatchObject({ status: 200, body: [listed] });
  expect((await gateway.send('DELETE', `${path}/5`, token)).status).toBe(204);
  expect(gateway.calls.at(-1)).toMatchObject({ request: { projectId: 1, uploadId: 5 } });
  expect((await gateway.send('DELETE', `${path}/${secret}/a%2Bb.png`, token)).status).toBe(204);
  expect(gateway.calls.at(-1)).toMatchObject({ request: { projectId: 1, secret, filename: 'a+b.png' } });
});

it.each([
  ['by its id', `/api/v4${path}/5`, '/projects/1/uploads/5'],
  ['by its link', `/api/v4${path}/${secret}/gr%C3%B6%C3%9Fe.png`, `/projects/1/uploads/${secret}/gr%C3%B6%C3%9Fe.png`],
  ['where its full path leads', `/-/project/1/uploads/${secret}/a.png`, `/projects/1/uploads/${secret}/a.png`],
  ['below the path of its project', `/acme/app/uploads/${secret}/a.png?x=1`, `/projects/1/uploads/${secret}/a.png`],
])('an upload is read %s', async (_how, from, to) => {
  const reply = await fetch(`${gateway.url}${from}`, { headers: { 'PRIVATE-TOKEN': token.token } });
  expect([reply.status, await reply.text()]).toEqual([200, 'picture']);
  expect(forwarded).toEqual([`GET ${to}`]);
});

it.each([
  ['below the path', `/acme/old/uploads/${secret}/a.png?x=1`, `/-/project/1/uploads/${secret}/a.png?x=1`],
  [
    'where its full path leads',
    `/-/project/acme%2Fold/uploads/${secret}/a.png`,
    `/-/project/1/uploads/${secret}/a.png`,
  ],
  ['by its link', `/api/v4/projects/acme%2Fold/uploads/${secret}/a.png`, `/api/v4${path}/${secret}/a.png`],
])('leads %s that its project had before to where it is now', async (_how, from, to) => {
  const reply = await fetch(`${gateway.url}${from}`, { redirect: 'manual' });
  expect([reply.status, reply.headers.get('location')]).toEqual([301, `https://forge.example${to}`]);
});

it('is not there for those who do not see the project', async () => {
  access = undefined;
  for (const from of [`/api/v4${path}/${secret}/a.png`, made.full_path, `/acme/app${made.url}`])
    expect((await fetch(`${gateway.url}${from}`)).status).toBe(404);
  expect(forwarded).toEqual([]);
});
