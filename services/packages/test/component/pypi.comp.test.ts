import { createHash } from 'node:crypto';
import { sql } from '@switchyard/database/sql';
import { PackageProtectionServiceService } from '@switchyard/protos/packages/v1/package_protection';
import { PypiServiceService } from '@switchyard/protos/packages/v1/pypi';
import { type PackageFormats, packageFormats } from './package-formats';

let here: PackageFormats;

beforeAll(async () => {
  here = await packageFormats({ SWITCHYARD_PYPI_PACKAGE_LIMIT: '10000' });
});
afterAll(() => here?.close());

const json = 'application/vnd.pypi.simple.v1+json';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A form as publishing tools send it; the file comes first or last. */
function formOf(fileName: string, content: string | Buffer, fields: Record<string, string>, order = 'last'): FormData {
  const form = new FormData();
  const file = () => form.set('content', new Blob([new Uint8Array(Buffer.from(content))]), fileName);
  if (order === 'first') file();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  if (order === 'last') file();
  return form;
}
const publish = (body: FormData) => here.project('POST', 'pypi', { body });
const simple = (name: string, accept = 'text/html') =>
  here.project('GET', `pypi/simple/${name}`, { headers: { Accept: accept } });
const blobUses = () => here.here.db.query(sql`select count(*)::int as contents from contents`);

it.each(['first', 'last'])('publishes a form whose file comes %s, and lists and serves it', async (order) => {
  const name = `My.App_${order}`;
  const [text, fileName] = [`wheel ${order}`, `my_app_${order}-1.0-py3-none-any.whl`];
  const fields = {
    ':action': 'file_upload',
    name,
    version: '1.0',
    requires_python: '>=3.8,<4',
    sha256_digest: sha256(text),
    description: 'x'.repeat(100_000),
  };
  const reply = await publish(formOf(fileName, text, fields, order));
  expect([reply.status, await reply.json()]).toEqual([201, { message: '201 Created' }]);
  const page = await simple(`my-app-${order}`);
  const html = await page.text();
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const path = `/files/${sha256(text)}/${fileName}`;
  expect(html).toContain(`/api/v4/projects/${here.projectId}/packages/pypi${path}#sha256=${sha256(text)}`);
  expect(html).toContain('data-requires-python="&gt;=3.8,&lt;4"');
  const known = { Accept: 'text/html', 'If-None-Match': page.headers.get('etag') ?? '' };
  expect((await here.project('GET', `pypi/simple/my-app-${order}`, { headers: known })).status).toBe(304);
  const asked = await simple(`MY_APP.${order}`, json);
  expect(asked.headers.get('content-type')).toBe(json);
  expect(await asked.json()).toMatchObject({
    name: `my-app-${order}`,
    versions: ['1.0'],
    files: [{ filename: fileName, hashes: { sha256: sha256(text) }, 'requires-python': '>=3.8,<4', size: text.length }],
  });
  expect(await (await here.project('GET', `pypi${path}`)).text()).toBe(text);
  expect((await here.project('GET', `pypi/files/${sha256('other')}/${fileName}`)).status).toBe(404);
  const names = await here.project('GET', 'pypi/simple', { headers: { Accept: json } });
  expect(((await names.json()) as { projects: unknown[] }).projects).toContainEqual({ name: `my-app-${order}` });
});

it('takes one name of a file of a version once, however the name of its project is written (PEP 503)', async () => {
  await publish(formOf('twi_ce-1.tar.gz', 'one', { name: 'Twi.ce', version: '1' }));
  const again = await publish(formOf('twi_ce-1.tar.gz', 'two', { name: 'twi-ce', version: '1' }));
  expect([again.status, await again.json()]).toEqual([
    400,
    { message: 'Validation failed: File name has already been taken' },
  ]);
  expect((await publish(formOf('twi_ce-2.tar.gz', 'two', { name: 'TWI_CE', version: '2' }))).status).toBe(201);
  expect((await here.list('pypi')).filter(({ name }) => /twi/i.test(name))).toEqual([
    { name: 'Twi.ce', version: '1' },
    { name: 'Twi.ce', version: '2' },
  ]);
});

it('has each version once, however it is spelled, and files with its name alone (PEP 440)', async () => {
  expect((await publish(formOf('spelled-1.0.tar.gz', 'one', { name: 'spelled', version: '1.0' }))).status).toBe(201);
  for (const [fileName, version] of [
    ['spelled-1.0.tar.gz', 'v1'],
    ['spelled-1.0.tar.gz', '1.0.0'],
    ['other-9.zip', '1.0'],
  ] as const)
    expect((await publish(formOf(fileName, 'two', { name: 'spelled', version }))).status).toBe(400);
  const wheel = await publish(formOf('spelled-1-py3-none-any.whl', 'three', { name: 'spelled', version: '1.0.0' }));
  expect(wheel.status).toBe(201);
  const at = ['2', '2.0', 'v2'].map((version) =>
    publish(formOf(`spelled-${version}.tar.gz`, version, { name: 'spelled', version })),
  );
  const statuses = (await Promise.all(at)).map(({ status }) => status);
  expect(statuses).toContain(201);
  expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
  const versions = (await here.list('pypi')).filter(({ name }) => name === 'spelled').map(({ version }) => version);
  expect(versions).toEqual(['1.0', expect.stringMatching(/^v?2(\.0)?$/)]);
});

it('has one winner of two first versions in two spellings at once, and no fault', async () => {
  const statuses = await Promise.all(
    ['Ra.ce', 'ra-ce', 'RA_CE'].map(
      async (name, at) =>
        (await publish(formOf(`ra_ce-1-${at + 1}-py3-none-any.whl`, name, { name, version: '1' }))).status,
    ),
  );
  expect(statuses).toContain(201);
  expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
  expect((await here.list('pypi')).filter(({ name }) => /ra.ce/i.test(name))).toHaveLength(1);
});

it.each([
  [
    'a digest that is not that of the file',
    'x-1.tar.gz',
    'text',
    { sha256_digest: sha256('other') },
    'sha256_digest does not match the content',
  ],
  ['an encoded path as a name', '..%2Fx', 'text', {}, 'content is invalid'],
  ['a path as a name', 'a/b', 'text', {}, 'content is invalid'],
  ['a path upwards as a name', '../x', 'text', {}, 'content is invalid'],
  ['a path with backslashes as a name', 'a\\b', 'text', {}, 'content is invalid'],
  [
    'a name that is none',
    'x-1.tar.gz',
    'text',
    { name: '../x', version: 'latest' },
    'name is invalid, version is invalid',
  ],
] as const)('refuses %s, and keeps nothing', async (_what, fileName, text, fields, error) => {
  const before = await blobUses();
  const reply = await publish(formOf(fileName, text, { name: 'x', version: '1', ...fields }));
  expect([reply.status, await reply.json()]).toEqual([400, { error }]);
  expect(await blobUses()).toEqual(before);
});

it('refuses a form without a file, one that is too large, and one that breaks off', async () => {
  const none = new FormData();
  none.set('name', 'x');
  const reply = await publish(none);
  expect([reply.status, await reply.json()]).toEqual([400, { error: 'content is missing, version is missing' }]);
  const large = await publish(formOf('x-1.tar.gz', Buffer.alloc(10_001), { name: 'x', version: '1' }));
  expect([large.status, await large.json()]).toEqual([400, { message: '400 Bad request - File is too large' }]);
  const body = '--b\r\nContent-Disposition: form-data; name="content"; filename="x-1.tar.gz"\r\n\r\nhalf';
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  expect((await here.project('POST', 'pypi', { body, headers })).status).toBe(400);
  expect((await simple('x')).status).toBe(404);
});

it('lists and serves in a group what the caller may read (G-4.17-8, G-4.17-12)', async () => {
  await publish(formOf('shared-1.tar.gz', 'secret', { name: 'shared', version: '1' }));
  const base = `/groups/${here.group}/packages/pypi`;
  for (const path of [`${base}/simple/shared`, `${base}/files/${sha256('secret')}/shared-1.tar.gz`]) {
    for (const who of [here.member, here.deployToken]) expect((await here.ask('GET', path, who)).status).toBe(200);
    for (const who of [here.outsider, here.jobOfOther]) expect((await here.ask('GET', path, who)).status).toBe(404);
    expect((await here.ask('GET', path, undefined)).status).toBe(401);
  }
  const names = await here.ask('GET', `${base}/simple`, here.outsider, { Accept: json });
  expect(((await names.json()) as { projects: unknown[] }).projects).toEqual([]);
});

it('yanks a version with all its files, and takes that back (PEP 592)', async () => {
  const { projectId } = here;
  const as = (level: number) => here.here.as({ id: 7 }, { id: projectId, level });
  const pypi = here.here.client(PypiServiceService);
  for (const version of ['1', '2'])
    await publish(formOf(`ya_nk-${version}.tar.gz`, version, { name: 'Ya.nk', version }));
  const files = async () =>
    ((await (await simple('ya-nk', json)).json()) as { files: { filename: string; yanked: unknown }[] }).files.map(
      ({ filename, yanked }) => [filename, yanked],
    );
  const given = { projectId, name: 'YA_NK', version: '1' };
  await pypi.yankVersion({ ...given, reason: 'eats <data>' }, as(30));
  await publish(formOf('ya_nk-1.zip', 'late', { name: 'ya-nk', version: '1' }));
  expect(await files()).toEqual([
    ['ya_nk-1.tar.gz', 'eats <data>'],
    ['ya_nk-2.tar.gz', false],
    ['ya_nk-1.zip', 'eats <data>'],
  ]);
  expect(await (await simple('ya-nk')).text()).toContain('data-yanked="eats &lt;data&gt;">ya_nk-1.tar.gz</a>');
  const statuses = () =>
    here.here.db.query(sql`select status from packages where project_id = ${projectId} and name = 'Ya.nk' order by id`);
  expect(await statuses()).toEqual([{ status: 'deprecated' }, { status: 'default' }]);
  const rule = { packageNamePattern: 'Ya.*', packageType: 'pypi', pushRole: 'maintainer', deleteRole: '' };
  const rules = here.here.client(PackageProtectionServiceService);
  await rules.createPackageProtectionRule({ projectId, ...rule }, as(40));
  await expect(pypi.unyankVersion(given, as(30))).rejects.toMatchObject({ kind: 'forbidden' });
  await pypi.unyankVersion(given, as(40));
  expect((await files()).map(([, yanked]) => yanked)).toEqual([false, false, false]);
  for (const none of [{ version: '3' }, { name: 'none' }])
    await expect(pypi.yankVersion({ ...given, reason: '', ...none }, as(40))).rejects.toMatchObject({
      kind: 'not_found',
    });
});
