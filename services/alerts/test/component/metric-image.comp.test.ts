import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import type { AppError } from '@switchyard/errors';
import { MetricImageServiceService, UpdateMetricImageRequest } from '@switchyard/protos/alerts/v1/metric_image';
import type { RpcClient } from '@switchyard/rpc';
import { dieAt, eventually, signalOf } from '@switchyard/testkit';
import { alertPurge } from '../../src/alerts/storage/alert-purge.store';
import { type Installation, json, startInstallation } from '../support/installation';
import { type WatchedProject, watchedProject } from '../support/watched-project';

let here: Installation;
let images: RpcClient<typeof MetricImageServiceService>;
let project: WatchedProject;

const limit = 4_096;

beforeAll(async () => {
  here = await startInstallation();
  await here.stop();
  await here.start({ SWITCHYARD_METRIC_IMAGE_LIMIT: String(limit) });
  images = here.client(MetricImageServiceService);
  project = await watchedProject(here);
  await project.send({ title: 'Down' });
});

afterAll(() => here?.close());

const pngHead = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const png = (size = 64): Buffer => Buffer.concat([pngHead, Buffer.alloc(size - pngHead.length, 'x')]);

const formOf = (content: Buffer | string, filename: string, fields: Record<string, string> = {}): FormData => {
  const form = new FormData();
  form.set('file', new Blob([content as never]), filename);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

const pathOf = (at = project, iid = 1) => `/projects/${at.id}/alerts/${iid}/metric_images`;

/** An image as the API shows it. */
interface Image {
  readonly id: number;
  readonly filename: string;
  readonly file_path: string;
}

const imageIn = async (reply: Response): Promise<Image> => (await reply.json()) as Image;

const upload = (
  body: RequestInit['body'],
  { at = project, iid = 1, query = '', headers = {} as Record<string, string> } = {},
) => here.forward('POST', `${pathOf(at, iid)}${query}`, { project: at.id, body, headers });

async function uploaded(body = formOf(png(), 'load.png'), at = project) {
  const reply = await upload(body, { at });
  const image = await imageIn(reply);
  expect([reply.status, image]).toEqual([201, expect.anything()]);
  return image;
}

const get = (id: number, at = project, headers: Record<string, string> = {}, method = 'GET') =>
  here.forward(method, `${pathOf(at)}/${id}`, { project: at.id, headers });

const as = (at = project) => here.as({ id: 7 }, { id: at.id, level: 30 });
const list = async (at = project, alertIid = 1) =>
  json(await images.listMetricImages({ projectId: at.id, alertIid, page: undefined }, as(at)));

/** Files of the store, and those that rows name. */
function files(): string[] {
  const root = join(here.folder, 'blobs', 'metric-images');
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => `metric-images/${one.name}`)
    .sort();
}
const named = async () =>
  (await here.db.query<{ blob: string }>(sql`select blob from metric_images order by blob`)).map(({ blob }) => blob);

/** Lets whatever no image names go now, and waits for it. */
async function swept(): Promise<void> {
  await here.db.query(sql`update blob_remains set due_at = now() - interval '1 second'`);
  const doomed = await uploaded();
  await images.deleteMetricImage({ projectId: project.id, alertIid: 1, imageId: doomed.id }, as());
  await eventually(async () => {
    expect(await here.db.query(sql`select blob from blob_remains`)).toEqual([]);
    expect(files()).toEqual(await named());
  });
}

it('attaches an image, lists, serves, changes and deletes it', async () => {
  const fields = { url: 'https://grafana.example/d/1', url_text: 'Load' };
  const reply = await upload(formOf(png(100), 'Last ü 24h.PNG', fields));
  expect(reply.status).toBe(201);
  const image = await imageIn(reply);
  expect(image).toEqual({
    id: expect.any(Number),
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    filename: 'Last ü 24h.PNG',
    file_path: `/api/v4/projects/${project.id}/alert_management_alerts/1/metric_images/${image.id}/file`,
    ...fields,
  });
  expect(await list()).toEqual([image]);

  const served = await get(image.id);
  expect(Buffer.from(await served.arrayBuffer())).toEqual(png(100));
  expect(Object.fromEntries(served.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': '100',
    'content-disposition': "inline; filename*=UTF-8''Last%20%C3%BC%2024h.PNG",
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  const etag = served.headers.get('etag') as string;
  expect((await get(image.id, project, { 'If-None-Match': etag })).status).toBe(304);
  const head = await get(image.id, project, {}, 'HEAD');
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '100']);

  const change = { projectId: project.id, alertIid: 1, imageId: image.id };
  const update = async (given: { url?: string; urlText?: string }) =>
    json(await images.updateMetricImage(UpdateMetricImageRequest.fromPartial({ ...change, ...given }), as()));
  expect(await update({ url: '' })).toEqual({ ...image, url: null });
  expect(await update({ urlText: 'More' })).toEqual({ ...image, url: null, url_text: 'More' });
  // A browser would correct it to another address than the checked one.
  for (const url of [
    ...[
      'javascript:alert(1)',
      'http://a\nb',
      'http://a/\tb',
      ' http://a',
      'http://a ',
      'http:a',
      'http:/a',
      'http:///a',
    ],
    ...['http:\\\\evil', 'http://a\\@evil', 'http://a/\\evil', 'http://a b', 'http://a/\0', 'http://?a', 'https://'],
  ])
    expect([url, await update({ url }).catch((error: AppError) => error.status)]).toEqual([url, 422]);
  for (const url of ['HTTPS://a.example:3000/d?q=a\\b&c=d e#f', 'http://[::1]/ü', 'http://a'])
    expect(await update({ url })).toMatchObject({ url });
  await update({ url: '' });

  await images.deleteMetricImage(change, as());
  expect(await list()).toEqual([]);
  expect((await get(image.id)).status).toBe(404);
  await expect(images.deleteMetricImage(change, as())).rejects.toMatchObject({ status: 404 });
  await eventually(async () => expect(files()).toEqual(await named()));
});

it('takes the link from the query, and rather from the form', async () => {
  const query = `?${new URLSearchParams({ url: 'http://a.example', url_text: 'query' })}`;
  const reply = await upload(formOf(png(), 'a.png', { url_text: 'form' }), { query });
  expect(await reply.json()).toMatchObject({ url: 'http://a.example', url_text: 'form' });
});

const boundary = '----b';
const multipart = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
const part = (disposition: string, content: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ]);
const end = `--${boundary}--\r\n`;
const raw = (...parts: (Buffer | string)[]) => Buffer.concat(parts.map((one) => Buffer.from(one as string))) as never;

it.each([
  ['filename="../../../etc/passwd.png"', 'passwd.png'],
  ['filename="..\\\\..\\\\boot.gif"', 'boot.gif'],
  ["filename*=UTF-8''..%2F..%2Fa%00b.png", 'a_b.png'],
  ['filename="a<img src=x onerror=1>.png"', 'a_img src_x onerror_1_.png'],
  ["filename*=UTF-8''a%0d%0aSet-Cookie%3a%20x.png", 'a__Set-Cookie_ x.png'],
  [`filename="${'l'.repeat(400)}.png"`, `${'l'.repeat(251)}.png`],
])('keeps of %j no more than a name', async (written, kept) => {
  const reply = await upload(raw(part(`name="file"; ${written}`, png()), end), { headers: multipart });
  expect([reply.status, (await imageIn(reply)).filename]).toEqual([201, kept]);
});

it('takes an image of exactly the limit, and none of a byte more', async () => {
  const image = await uploaded(formOf(png(limit), 'a.png'));
  expect((await (await get(image.id)).arrayBuffer()).byteLength).toBe(limit);
  expect((await upload(formOf(png(limit + 1), 'a.png'))).status).toBe(413);
});

it.each([
  ['no form', '{"file":"x"}', { 'Content-Type': 'application/json' }, 400],
  ['an empty form', raw(end), multipart, 400],
  ['a form without a boundary', raw(end), { 'Content-Type': 'multipart/form-data' }, 400],
  ['a form that ends early', raw(part('name="file"; filename="a.png"', png())), multipart, 400],
  [
    'a form that ends within the file',
    raw(part('name="file"; filename="a.png"', png()).subarray(0, 100)),
    multipart,
    400,
  ],
  ['a field in place of the file', raw(part('name="file"', 'text'), end), multipart, 400],
  ['a file of another name', raw(part('name="upload"; filename="a.png"', png()), end), multipart, 400],
  ['a file without a name', raw(part('name="file"; filename=""', png()), end), multipart, 400],
  ['a name with a bare NUL', raw(part('name="file"; filename="a\0.png"', png()), end), multipart, 400],
  ['a name that is nothing but dots', raw(part('name="file"; filename=".."', png()), end), multipart, 422],
  ['an empty file', formOf('', 'a.png'), {}, 422],
  ['the beginning of an image', formOf(png().subarray(0, 15), 'a.png'), {}, 422],
  ['a page that is called an image', formOf('<!DOCTYPE html><script>alert(1)</script>', 'a.png'), {}, 422],
  ['an SVG', formOf('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'a.svg'), {}, 422],
  ['an SVG that is called PNG', formOf('<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.png'), {}, 422],
  ['an image that is called a page', formOf(png(), 'a.html'), {}, 422],
  ['a name that is nothing but an ending', formOf(png(), '.png'), {}, 422],
  ['an address that is none', formOf(png(), 'a.png', { url: 'grafana' }), {}, 422],
  ['an address that runs', formOf(png(), 'a.png', { url: 'javascript:alert(1)' }), {}, 422],
  ['an address that is too long', formOf(png(), 'a.png', { url: `https://a.example/${'a'.repeat(255)}` }), {}, 422],
  ['a text that is too long', formOf(png(), 'a.png', { url_text: 'a'.repeat(129) }), {}, 422],
  ['a text with NUL', formOf(png(), 'a.png', { url_text: 'a\0' }), {}, 422],
  ['a field of ten kilobytes', formOf(png(), 'a.png', { url_text: 'a'.repeat(10_000) }), {}, 413],
  ['ten megabytes', formOf(png(10 << 20), 'a.png'), {}, 413],
])('refuses %s, and keeps nothing', async (_what, body, headers, status) => {
  const before = await named();
  const reply = await upload(body, { headers: headers as Record<string, string> });
  expect([reply.status, await reply.json()]).toEqual([status, expect.any(Object)]);
  expect(await named()).toEqual(before);
});

it('left no file behind', () => swept());

it('answers an endless body, and soon reads no more of it', async () => {
  let sent = 0;
  const endless = new ReadableStream({
    start: (controller) => controller.enqueue(part('name="file"; filename="a.png"', png()).subarray(0, -2)),
    pull(controller) {
      sent += 64 << 10;
      controller.enqueue(Buffer.alloc(64 << 10, 'x'));
    },
  });
  const reply = here.forward('POST', pathOf(), {
    project: project.id,
    headers: multipart,
    body: endless,
  });
  const status = await reply.then(
    (answer) => answer.status,
    (error: Error) => String(error.cause ?? error),
  );
  expect(status).toBe(413);
  expect(sent).toBeLessThan(32 << 20);
});

it('answers for its own project, alert and image only', async () => {
  const other = await watchedProject(here);
  await other.send({ title: 'Down' });
  const { id } = await uploaded();
  const missing = async (reply: Promise<Response>) => [(await reply).status, await (await reply).json()];
  const noAlert = [404, { message: '404 Alert Not Found' }];
  expect(await missing(upload(formOf(png(), 'a.png'), { iid: 999 }))).toEqual(noAlert);
  expect(await missing(here.forward('GET', `${pathOf(project, 999)}/${id}`, { project: project.id }))).toEqual(noAlert);
  expect(await missing(get(id, other))).toEqual([404, { message: '404 Metric image Not Found' }]);
  expect(await missing(here.forward('GET', `${pathOf()}/${id}`, { project: other.id }))).toMatchObject([403, {}]);
  const outsider = { project: project.id, caller: 'collaboration' as const };
  expect(await missing(here.forward('GET', `${pathOf()}/${id}`, outsider))).toMatchObject([403, {}]);
  expect(await list(other)).toEqual([]);
  await expect(
    images.deleteMetricImage({ projectId: other.id, alertIid: 1, imageId: id }, as(other)),
  ).rejects.toMatchObject({ status: 404 });
});

it('goes with its project, file and all', async () => {
  const doomed = await watchedProject(here);
  await doomed.send({ title: 'Down' });
  const { id } = await uploaded(undefined, doomed);
  const { blob } = (await here.db.one<{ blob: string }>(sql`select blob from metric_images where id = ${id}`)) ?? {};
  expect(files()).toContain(blob);
  await here.db.query(sql`update directory.projects set deleted_at = now() where id = ${doomed.id}`);
  while ((await alertPurge(here.db).removeOrphans(100)) > 0);
  expect(await named()).not.toContain(blob);
  await swept();
  expect(files()).not.toContain(blob);
});

it('answers 404 for a file that is gone from the store', async () => {
  const { id } = await uploaded();
  const { blob } = (await here.db.one<{ blob: string }>(sql`select blob from metric_images where id = ${id}`)) as {
    blob: string;
  };
  const { diskStore } = await import('@switchyard/blobs');
  await diskStore(join(here.folder, 'blobs')).remove(blob);
  expect((await get(id)).status).toBe(404);
  await images.deleteMetricImage({ projectId: project.id, alertIid: 1, imageId: id }, as());
});

it('answers 503 while the store cannot be used, and serves again after', async () => {
  const { id } = await uploaded();
  const before = await named();
  const broken = join(here.folder, 'broken');
  mkdirSync(broken);
  writeFileSync(join(broken, 'blobs'), 'no folder');
  await here.stop();
  await here.start({ SWITCHYARD_DATA: broken });
  expect((await upload(formOf(png(), 'a.png'))).status).toBe(503);
  expect((await get(id)).status).toBe(503);
  expect(await named()).toEqual(before);
  await here.stop();
  await here.start();
  expect((await get(id)).status).toBe(200);
});

describe('a process that is killed', () => {
  beforeAll(() => here.stop());
  afterAll(() => here.start());

  it.each([
    'metric_image.expected',
    'metric_image.stored',
    'metric_image.written',
    'metric_image.committed',
    'metric_image.deleted',
    'metric_image.swept',
  ])('at %s leaves no file without an image, and no image without a file', async (point) => {
    await dieAt(point, here.startProcess, async () => {
      const image = await upload(formOf(png(), 'a.png')).then(imageIn, () => undefined);
      const deletion = { projectId: project.id, alertIid: 1, imageId: image?.id ?? 0 };
      if (image !== undefined) await images.deleteMetricImage(deletion, as()).catch(() => undefined);
    });

    await here.db.query(sql`update blob_remains set due_at = now() - interval '1 second'`);
    const next = await here.startProcess();
    await eventually(async () => {
      expect(await here.db.query(sql`select blob from blob_remains`)).toEqual([]);
      expect(files()).toEqual(await named());
    });
    next.kill('SIGKILL');
    await signalOf(next);
  });
});
