import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sql } from '@switchyard/database/sql';
import { ArchiveBundleServiceService } from '@switchyard/protos/imports_exports/v1/archive_bundle';
import { UploadServiceService } from '@switchyard/protos/packages/v1/upload';
import { UploadImportServiceService } from '@switchyard/protos/packages/v1/upload_import';
import { UploadTransferServiceService } from '@switchyard/protos/packages/v1/upload_transfer';
import type { ProjectUpload } from '@switchyard/protos/rpc/v1/project_upload';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { implement, type RpcClient } from '@switchyard/rpc';
import { uploadParts, uploadsOf } from '@switchyard/service';
import { eventually } from '@switchyard/testkit';
import { type ForgeServer, startForgeServer } from '@switchyard/testkit/forge';
import { json, type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { service } from '../../src/service';

let here: TestInstallation;
let uploads: RpcClient<typeof UploadServiceService>;
let imports: RpcClient<typeof UploadImportServiceService>;
let transfers: RpcClient<typeof UploadTransferServiceService>;
/** Files of archives by the keys of their imports. */
const archives = new Map<string, { upload: ProjectUpload; content: string }[]>();
let group: number;
let user: number;
let projectId: number;

const limit = 100_000;
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(1_000, 'pixels')]);

beforeAll(async () => {
  here = await testInstallation({
    service,
    main: join(__dirname, '..', '..', 'dist', 'main.js'),
    callers: ['imports-exports'],
    peers: () => [
      implement(
        ArchiveBundleServiceService,
        {
          readArchiveBundle: () => {
            throw new Error('no repository');
          },
          readArchiveWiki: () => {
            throw new Error('no wiki');
          },
          async *readArchiveUploads({ importKey }) {
            for (const { upload, content } of archives.get(importKey) ?? [])
              yield* uploadParts(upload, Readable.from([Buffer.from(content)]));
          },
        },
        {
          readArchiveBundle: { callers: ['packages'] },
          readArchiveWiki: { callers: ['packages'] },
          readArchiveUploads: { callers: ['packages'] },
        },
      ),
    ],
  });
  await here.stop();
  await here.start({ SWITCHYARD_UPLOAD_LIMIT: String(limit), SWITCHYARD_OUTBOUND_ALLOWED: '127.0.0.1' });
  uploads = here.client(UploadServiceService);
  imports = here.client(UploadImportServiceService, 'imports-exports');
  transfers = here.client(UploadTransferServiceService, 'imports-exports');
  group = here.directory.namespace({ visibility: 'public' }).id;
  user = here.directory.user({ username: 'ada', name: 'Ada' }).id;
});
beforeEach(async () => {
  projectId = here.directory.project(group).id;
  // A replica that is behind answers 503 at first (D5).
  await eventually(() => list());
});
afterAll(() => here?.close());

const as = () => here.as({ id: user }, { id: projectId, level: 40 });
const list = async (page: { page?: number; perPage?: number } = {}) =>
  json(
    await uploads.listUploads({ projectId, page: PageRequest.fromPartial({ page: 1, perPage: 20, ...page }) }, as()),
  ) as { id: number; size: number; filename: string; uploaded_by: object | null }[];

function formOf(content: Buffer | string, name: string): FormData {
  const form = new FormData();
  form.set('file', new Blob([content as never]), name);
  return form;
}
const send = (body: FormData) =>
  here.forward('POST', `/projects/${projectId}/uploads`, { project: projectId, user, body: body as never });
async function sent(content: Buffer | string, name: string) {
  const reply = await send(formOf(content, name));
  expect(reply.status).toBe(201);
  return (await reply.json()) as { id: number; alt: string; url: string; full_path: string; markdown: string };
}
const get = (below: string, headers: Record<string, string> = {}) =>
  here.forward('GET', `/projects/${projectId}${below}`, { project: projectId, headers });
const uses = () => here.db.query(sql`select uses::int from contents order by id`);

it('keeps a picture that texts show in place, and gives it back whole and in parts', async () => {
  const made = await sent(png, 'disk load.png');
  const secret = made.url.split('/')[2];
  expect(secret).toMatch(/^[0-9a-f]{32}$/);
  expect(made).toEqual({
    id: expect.any(Number),
    alt: 'disk_load',
    url: `/uploads/${secret}/disk_load.png`,
    full_path: `/-/project/${projectId}/uploads/${secret}/disk_load.png`,
    markdown: `![disk_load](/uploads/${secret}/disk_load.png)`,
  });
  const reply = await get(made.url);
  expect(Buffer.from(await reply.arrayBuffer()).equals(png)).toBe(true);
  expect(Object.fromEntries(reply.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': 'inline; filename="disk_load.png"',
    'x-content-type-options': 'nosniff',
  });
  const part = await get(`/uploads/${made.id}`, { Range: 'bytes=16-21' });
  expect([part.status, await part.text()]).toEqual([206, 'pixels']);
  expect(await list()).toMatchObject([
    {
      id: made.id,
      size: png.length,
      filename: 'disk_load.png',
      uploaded_by: { id: user, name: 'Ada', username: 'ada' },
    },
  ]);
});

it.each([
  ['page.html', '<script>alert(1)</script>'],
  ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
  ['not-a-picture.png', '<html>'],
])('never lets a browser show %s in place', async (name, content) => {
  const made = await sent(content, name);
  expect([made.alt, made.markdown]).toEqual([name, `[${name}](${made.url})`]);
  const reply = await get(made.url);
  expect([reply.headers.get('content-type'), reply.headers.get('content-disposition'), await reply.text()]).toEqual([
    'application/octet-stream',
    `attachment; filename="${name}"`,
    content,
  ]);
});

it('is found by the whole link alone, in its own project', async () => {
  const { url, id } = await sent('text', 'notes.txt');
  const found = async (below: string) => (await get(below)).status;
  expect(await found(url)).toBe(200);
  for (const other of [url.replace('notes', 'other'), url.replace(/uploads\/./, 'uploads/g'), '/uploads/x/notes.txt'])
    expect([other, await found(other)]).toEqual([other, 404]);
  projectId = here.directory.project(group).id;
  for (const other of [url, `/uploads/${id}`]) expect([other, await found(other)]).toEqual([other, 404]);
});

it('refuses what is too large or no file, and keeps nothing of it', async () => {
  const before = await uses();
  const fails = formOf('behind it the form fails', 'notes.txt');
  fails.set('description', 'x'.repeat(9_000));
  for (const [form, status] of [
    [formOf(Buffer.alloc(limit + 1), 'large.bin'), 413],
    [fails, 413],
    [new FormData(), 400],
  ] as const)
    expect((await send(form)).status).toBe(status);
  expect(await list()).toEqual([]);
  expect(await uses()).toEqual(before);
});

it('keeps one content of equal files, which goes with the last of them', async () => {
  const same = Buffer.alloc(4_321, 'same');
  const sizes = async () => here.db.query(sql`select uses::int from contents where size = 4321`);
  const [one, two, three] = [await sent(same, 'a.bin'), await sent(same, 'b.bin'), await sent(same, 'c.bin')];
  expect(await sizes()).toEqual([{ uses: 3 }]);
  expect((await list({ perPage: 2 })).map(({ id }) => id)).toEqual([three.id, two.id]);
  await uploads.deleteUpload({ projectId, uploadId: one.id }, as());
  const [, , secret = '', filename = ''] = two.url.split('/');
  await uploads.deleteUploadBySecret({ projectId, secret, filename }, as());
  await expect(uploads.deleteUpload({ projectId, uploadId: one.id }, as())).rejects.toMatchObject({
    kind: 'not_found',
  });
  expect([(await get(one.url)).status, (await get(two.url)).status, (await get(three.url)).status]).toEqual([
    404, 404, 200,
  ]);
  await uploads.deleteUpload({ projectId, uploadId: three.id }, as());
  await eventually(async () => expect(await sizes()).toEqual([]));
});

it('has its project measured when one comes, and when one goes', async () => {
  const isDue = async () =>
    (await here.db.query(sql`delete from package_measurements where project_id = ${projectId} returning 1`)).length > 0;
  const [one, two] = [await sent(png, 'a.png'), await sent(png, 'b.png')];
  expect(await isDue()).toBe(true);
  await uploads.deleteUpload({ projectId, uploadId: one.id }, as());
  expect(await isDue()).toBe(true);
  const [, , secret = '', filename = ''] = two.url.split('/');
  await uploads.deleteUploadBySecret({ projectId, secret, filename }, as());
  expect(await isDue()).toBe(true);
});

describe('of an archive', () => {
  const given = (secret: string, content: string, more: object = {}) => ({
    upload: { secret, fileName: 'a b.png', size: content.length, uploader: 'ada', createdAt: new Date(1e12), ...more },
    content,
  });
  const bring = (importKey: string, forEverybody: boolean) =>
    transfers.importArchiveUploads(
      { projectId, importKey, importerId: 0, forEverybody },
      { requestId: 'archive', timeoutMs: 30_000 },
    );

  it('files come in with their secrets and dates, once, but those that are too large; and go out as they came', async () => {
    const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string];
    archives.set('all', [
      given(one, 'one'),
      given(two, 'x'.repeat(limit + 1)),
      given(three, '', { uploader: 'nobody' }),
    ]);
    const reason = expect.stringContaining(String(limit + 1));
    for (let time = 0; time < 2; time += 1)
      expect(await bring('all', true)).toEqual({ leftOut: [{ item: 'a_b.png', reason }] });
    expect(await list()).toEqual([
      expect.objectContaining({ filename: 'a_b.png', size: 0, uploaded_by: null }),
      expect.objectContaining({
        ...{
          size: 3,
          created_at: '2001-09-09T01:46:40.000Z',
          uploaded_by: expect.objectContaining({ username: 'ada' }),
        },
      }),
    ]);
    expect(await (await get(`/uploads/${one}/a_b.png`)).text()).toBe('one');
    const out: object[] = [];
    for await (const { upload, content } of uploadsOf(
      transfers.readProjectUploads({ projectId }, { requestId: 'out' }),
    )) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      out.push({ ...upload, content: Buffer.concat(chunks).toString() });
    }
    const common = { fileName: 'a_b.png', createdAt: new Date(1e12) };
    expect(out).toEqual([
      { ...common, secret: one, size: 3, uploader: 'ada', content: 'one' },
      { ...common, secret: three, size: 0, uploader: '', content: '' },
    ]);
  });

  it('a file with the address of another one is named, however often it is brought, and large ones come between small ones', async () => {
    const secrets = ['5', '6', '7'].map((digit) => digit.repeat(32)) as [string, string, string];
    const large = 'l'.repeat(70_000);
    archives.set('twice', [
      given(secrets[0], 'first'),
      given(secrets[1], large),
      given(secrets[0], 'second', { fileName: 'b.png' }),
      given(secrets[2], 'third'),
      given(secrets[2], 'fourth', { fileName: 'c.png' }),
      given(secrets[2], 'third'),
    ]);
    const reason = 'The file has the address of a_b.png';
    for (let time = 0; time < 2; time += 1)
      expect(await bring('twice', true)).toEqual({
        leftOut: [
          { item: 'b.png', reason },
          { item: 'c.png', reason },
        ],
      });
    const contents = secrets.map(async (secret) => (await get(`/uploads/${secret}/a_b.png`)).text());
    expect(await Promise.all(contents)).toEqual(['first', large, 'third']);
    expect(await list()).toHaveLength(3);
  });

  it('nobody but an administrator says who uploaded a file', async () => {
    archives.set('own', [given('4'.repeat(32), 'four')]);
    await bring('own', false);
    expect(await list()).toEqual([expect.objectContaining({ size: 4, uploaded_by: null })]);
  });
});

describe('imported from a forge', () => {
  let forge: ForgeServer;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let elsewhere: ForgeServer;

  beforeAll(async () => {
    forge = await startForgeServer((request, response) => answer(request, response));
    elsewhere = await startForgeServer((_request, response) => void response.end(png));
  });
  afterAll(() => Promise.all([forge.close(), elsewhere.close()]));

  const bring = (name: string) =>
    imports.importUpload(
      { projectId, source: name, url: `${forge.url}/${name}`, authorization: 'Bearer secret', uploaderId: user },
      { requestId: 'test' },
    );
  const found = { reason: '', mayPass: false, retryAfter: 0 };

  it('is kept once, under a name with an ending, and its header goes to no other host', async () => {
    answer = (_request, response) => void response.writeHead(302, { Location: `${elsewhere.url}/x` }).end();
    const before = forge.requests.length;
    const one = await bring('assets/5f0c');
    expect(one).toEqual({ ...found, link: expect.stringMatching(/\/5f0c\.png$/), markdown: `![5f0c](${one.link})` });
    const [asked, ...more] = await Promise.all([bring('assets/5f0c'), bring('assets/5f0c')]);
    expect([asked, ...more]).toEqual([one, one]);
    expect(forge.requests.slice(before).map(({ authorization }) => authorization)).toEqual(['Bearer secret']);
    expect(elsewhere.requests.map(({ authorization }) => authorization)).toEqual(['']);
    expect(Buffer.from(await (await get(one.link)).arrayBuffer()).equals(png)).toBe(true);
    expect(await list()).toMatchObject([{ filename: '5f0c.png', uploaded_by: { id: user } }]);
  });

  it('asked for twice at once is kept once', async () => {
    answer = (_request, response) => void response.end('text');
    const [one, other] = await Promise.all([bring('notes.txt'), bring('notes.txt')]);
    expect(one).toEqual(other);
    expect(await list()).toHaveLength(1);
  });

  const gigabyte = (response: ServerResponse): void => {
    response.writeHead(200);
    const more = (): void => {
      while (response.write(Buffer.alloc(64 << 10)));
    };
    response.on('drain', more);
    more();
  };
  it.each<[string, (response: ServerResponse) => void, object]>([
    ['gone', (response) => response.writeHead(404).end(), { mayPass: false }],
    [
      'asked for too often',
      (response) => response.writeHead(429, { 'Retry-After': '30' }).end(),
      { mayPass: true, retryAfter: 30 },
    ],
    ['too large', gigabyte, { mayPass: false, reason: `The file has more than ${limit} bytes` }],
    [
      'broken off',
      (response) => void response.writeHead(200, { 'Content-Length': '9' }).write('1234', () => response.destroy()),
      { mayPass: true },
    ],
    ['inside', (response) => response.writeHead(302, { Location: 'http://10.0.0.1/x' }).end(), { mayPass: false }],
    [
      'a page',
      (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('Sign in'),
      { mayPass: false },
    ],
  ])('one that is %s is not kept, and the reason is said', async (name, send, expected) => {
    answer = (_request, response) => send(response);
    const outcome = await bring(encodeURIComponent(name));
    expect(outcome).toMatchObject({ link: '', reason: expect.stringMatching(/./), ...expected });
    expect(await list()).toEqual([]);
  });
});
