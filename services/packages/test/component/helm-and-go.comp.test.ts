import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { notFound } from '@switchyard/errors';
import { SourceCodeServiceService } from '@switchyard/protos/merge_requests/v1/source_code';
import { implement } from '@switchyard/rpc';
import { type Header, pack } from 'tar-stream';
import { parse } from 'yaml';
import { type PackageFormats, packageFormats } from './package-formats';

const sha = (text: string): string => createHash('sha1').update(text).digest('hex');
const committedAt = new Date('2026-01-02T03:04:05.000Z');

/** Files of each commit, and what tags and branches name. */
const commits: Record<string, Record<string, string>> = {};
const refs: Record<string, string> = {};
/** As the gateway names the project, on the host of test installations. */
const root = 'forge.example/group/project';

function commit(name: string, files: Record<string, string>, ...names: string[]): void {
  commits[sha(name)] = files;
  for (const one of names) refs[one] = sha(name);
}

const caller = { callers: ['packages'], onBehalfOf: true };

/** The part of merge-requests that modules are read from; a repository without history: every commit reaches every tag. */
const sourceCode = implement(
  SourceCodeServiceService,
  {
    listSourceTags: async ({ prefix }) => ({
      tags: Object.entries(refs).flatMap(([ref, commitSha]) =>
        ref.startsWith(`refs/tags/${prefix}`) ? [{ name: ref.slice('refs/tags/'.length), commitSha }] : [],
      ),
    }),
    async findSourceCommit({ revision }) {
      const named = refs[revision === '' ? 'main' : revision];
      const commitSha = named ?? Object.keys(commits).find((one) => one.startsWith(revision));
      if (commitSha === undefined) throw notFound('Commit');
      return { commitSha, committedAt };
    },
    readSourceFiles: async ({ places, mostBytes }) => ({
      files: places.map(({ commitSha, path }) => {
        const text = commits[commitSha]?.[path];
        const content = text === undefined || mostBytes === 0 ? undefined : Buffer.from(text);
        return { size: text?.length, content, sha: text === undefined ? '' : sha(text) };
      }),
    }),
    async *listSourceTree({ commitSha, path }) {
      const below = path === '' ? '' : `${path}/`;
      const entries = Object.entries(commits[commitSha] ?? {}).filter(([one]) => one.startsWith(below));
      yield {
        entries: entries.map(([one, text]) => ({
          path: one.slice(below.length),
          mode: one.endsWith('.link') ? '120000' : '100644',
          sha: sha(text),
          size: text.length,
        })),
      };
    },
    async *streamSourceBlobs({ shas }) {
      const contents = new Map(
        Object.values(commits).flatMap((files) => Object.values(files).map((one) => [sha(one), one])),
      );
      for (const [index, one] of shas.entries()) {
        const text = contents.get(one) ?? '';
        const half = Math.ceil(text.length / 2);
        for (const part of text.length < 2 ? [text] : [text.slice(0, half), text.slice(half)])
          yield { index, content: Buffer.from(part) };
      }
    },
  },
  Object.fromEntries(Object.keys(SourceCodeServiceService).map((name) => [name, caller])),
);

let here: PackageFormats;
let front: Server;
let folder: string;

beforeAll(async () => {
  here = await packageFormats({ SWITCHYARD_HELM_PACKAGE_LIMIT: '20000' }, () => [sourceCode]);
  folder = mkdtempSync(join(tmpdir(), 'switchyard-go-'));
  const own = { LICENSE: 'free', 'a.link': '/etc/passwd', 'vendor/x/y.go': 'package y' };
  commit('one', { ...own, 'go.mod': `module ${root}\n`, 'a.go': 'package a\n\nconst V = 1\n' }, 'refs/tags/v1.0.0');
  const tools = { 'tools/go.mod': `module ${root}/tools\n`, 'tools/t.go': 'package tools\n' };
  commit('tools', { ...own, ...tools }, 'refs/tags/tools/v0.1.0', 'refs/tags/v1.0');
  commit('two', { 'go.mod': `module ${root}/v2\n`, 'a.go': 'package a\n\nconst V = 2\n' }, 'refs/tags/v2.0.0');
  commit('main', { 'go.mod': `module ${root}\n`, 'a.go': 'package a\n\nconst V = 3\n', A: '', a: '' }, 'main');
  commit('old', { 'x.go': 'package x\n' }, 'refs/tags/v3.0.0');
  front = createServer(async (request, response) => {
    const [, path = '', rest = ''] = /^\/go\/(.*)\/@(.*)$/.exec(request.url ?? '') ?? [];
    const [, version = '', form = ''] = /^v\/(.*)\.(info|mod|zip)$/.exec(rest) ?? [];
    const what = form === '' ? rest.replace('v/', '') : `${form}/${encodeURIComponent(version)}`;
    const reply = await go(decodeURIComponent(path), what);
    response.writeHead(reply.status, { 'Content-Type': reply.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
  await new Promise<void>((settle) => front.listen(0, '127.0.0.1', settle));
});
afterAll(async () => {
  front?.close();
  rmSync(folder, { recursive: true, force: true });
  await here?.close();
});

const go = (path: string, what: string) => here.project('GET', `golang/${encodeURIComponent(path)}/${what}`);
const told = async (path: string, what: string) => {
  const reply = await go(path, what);
  const text = await reply.text();
  return [reply.status, reply.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text];
};

it('lists versions, and says what each of them is (Go modules)', async () => {
  const info = (version: string) => [200, { Version: version, Time: '2026-01-02T03:04:05Z' }];
  const pseudo = `v1.0.1-0.20260102030405-${sha('main').slice(0, 12)}`;
  expect(await told(root, 'list')).toEqual([200, 'v1.0.0\nv3.0.0+incompatible\n']);
  expect(await told(`${root}/v2`, 'list')).toEqual([200, 'v2.0.0\n']);
  expect(await told(`${root}/tools`, 'list')).toEqual([200, 'v0.1.0\n']);
  expect(await told(root, 'info/v1.0.0')).toEqual(info('v1.0.0'));
  expect(await told(root, 'info/v3.0.0%2Bincompatible')).toEqual(info('v3.0.0+incompatible'));
  expect(await told(root, 'info/main')).toEqual(info(pseudo));
  expect(await told(root, `info/${pseudo}`)).toEqual(info(pseudo));
  expect(await told(`${root}/v2`, 'latest')).toEqual(info('v2.0.0'));
  expect(await told(`${root}/tools`, 'mod/v0.1.0')).toEqual([200, `module ${root}/tools\n`]);
  expect(await told(root, 'mod/v3.0.0%2Bincompatible')).toEqual([200, `module ${root}\n`]);
  for (const what of ['list', 'latest', 'info/v1.0.0', 'mod/v1.0.0', 'zip/v1.0.0']) {
    const reply = await go(root, what);
    await reply.arrayBuffer();
    const headers = { 'If-None-Match': reply.headers.get('etag') ?? '' };
    const path = `golang/${encodeURIComponent(root)}/${what}`;
    expect(reply.status).toBe(200);
    expect([what, (await here.project('GET', path, { headers })).status]).toEqual([what, 304]);
  }
});

it.each([
  ['', 'info/v1.2.3', 'unknown revision refs/tags/v1.2.3'],
  ['', 'info/v2.0.0', 'v2.0.0+incompatible: the module has a go.mod'],
  ['', 'zip/v2.0.0', 'unknown version v2.0.0'],
  ['', 'mod/v2.0.0%2Bincompatible', 'v2.0.0+incompatible: the module has a go.mod'],
  ['/v3', 'info/v3.0.0', 'no go.mod declares'],
  ['/nowhere', 'latest', 'missing nowhere/go.mod'],
  ['', `zip/v1.0.1-0.20260102030406-${sha('main').slice(0, 12)}`, 'does not match the time of its commit'],
  ['', `zip/v1.9.1-0.20260102030405-${sha('main').slice(0, 12)}`, 'v1.9.0 is no tag of its history'],
  ['', `zip/v1.0.1-0.20260102030405-${sha('main').slice(0, 12)}`, 'A and a differ by letter case alone'],
  ['', 'info/..%2F..%2Fx', 'unknown revision'],
  ['', 'info/V1', 'written with !'],
  ['/../x', 'list', 'no such module'],
])('has no module %s with %s, and says why in plain text', async (below, what, text) => {
  const [status, reply] = await told(`${root}${below}`, what);
  expect([status, reply]).toEqual([404, expect.stringContaining(text)]);
});

const hasGo = (() => {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

(hasGo ? it : it.skip)('go downloads modules, their folders and majors (skipped without go)', async () => {
  const { port } = front.address() as AddressInfo;
  const env = {
    ...process.env,
    HOME: folder,
    GOPATH: join(folder, 'path'),
    GOCACHE: join(folder, 'cache'),
    GOPROXY: `http://127.0.0.1:${port}/go`,
    GONOSUMDB: '*',
    GOFLAGS: '-modcacherw',
    GOTOOLCHAIN: 'local',
  };
  const versions = [`${root}@v1.0.0`, `${root}/v2@latest`, `${root}/tools@v0.1.0`, `${root}@v3.0.0`];
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', ...versions], { cwd: folder, env });
  const found = stdout
    .split(/(?<=^})\n/m)
    .filter((one) => one.trim() !== '')
    .map((one) => JSON.parse(one));
  expect(found.map(({ Path, Version }) => `${Path}@${Version}`)).toEqual([
    `${root}@v1.0.0`,
    `${root}/v2@v2.0.0`,
    `${root}/tools@v0.1.0`,
    `${root}@v3.0.0+incompatible`,
  ]);
  const files = (at: number) => execFileSync('ls', [found[at].Dir], { encoding: 'utf8' }).trim().split('\n');
  expect([files(0), files(2)]).toEqual([
    ['LICENSE', 'a.go', 'go.mod'],
    ['LICENSE', 'go.mod', 't.go'],
  ]);
});

/** What an entry says of itself; the rest is filled in. */
type Entry = Partial<Header> & Pick<Header, 'name'>;

async function chart(files: readonly (readonly [Entry, string?])[]): Promise<Buffer> {
  const archive = pack();
  for (const [header, content = ''] of files) archive.entry(header, content);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return gzipSync(Buffer.concat(chunks));
}
const yamlOf = (name: string, version: string, more = ''): [Entry, string] => [
  { name: `${name}/Chart.yaml` },
  `apiVersion: v2\nname: ${name}\nversion: ${version}\n${more}`,
];
/** @param behind text of a field that follows the chart */
function push(channel: string, content: Buffer, behind?: string): Promise<Response> {
  const form = new FormData();
  form.set('chart', new Blob([new Uint8Array(content)]), 'any.tgz');
  if (behind !== undefined) form.set('behind', behind);
  return here.project('POST', `helm/${channel}/charts`, { body: form });
}
const index = (channel: string, headers: Record<string, string> = {}) =>
  here.project('GET', `helm/${channel}/index`, { headers });

it('publishes charts, lists the newest of each version of a channel, and serves them (Helm)', async () => {
  const [old, other] = [await chart([yamlOf('app', '1.0.0')]), await chart([yamlOf('app', '1.1.0')])];
  const newer = await chart([yamlOf('app', '1.0.0', 'appVersion: 1.10\nannotations: { "a: b": "- \\"x\\"" }\n')]);
  for (const [channel, content] of [
    ['stable', old],
    ['stable', newer],
    ['stable', other],
    ['edge', old],
  ] as const) {
    const reply = await push(channel, content);
    expect([reply.status, await reply.json()]).toEqual([201, { message: '201 Created' }]);
  }
  const reply = await index('stable');
  const { entries, serverInfo, apiVersion } = parse(await reply.text());
  expect([apiVersion, serverInfo.contextPath]).toEqual(['v1', `/api/v4/projects/${here.projectId}/packages/helm`]);
  const digest = createHash('sha256').update(newer).digest('hex');
  expect(entries.app).toMatchObject([
    { version: '1.0.0', appVersion: '1.10', annotations: { 'a: b': '- "x"' }, digest, urls: ['charts/app-1.0.0.tgz'] },
    { version: '1.1.0', created: expect.any(String) },
  ]);
  const tag = reply.headers.get('etag') ?? '';
  expect((await index('stable', { 'If-None-Match': tag })).status).toBe(304);
  const file = await here.project('GET', 'helm/stable/charts/app-1.0.0.tgz');
  expect(Buffer.from(await file.arrayBuffer())).toEqual(newer);
  expect((await here.project('GET', 'helm/edge/charts/app-1.1.0.tgz')).status).toBe(404);
  expect(parse(await (await index('none')).text())).toMatchObject({ entries: {} });
  await push('stable', await chart([yamlOf('zoo', '1.0.0')]));
  expect((await index('stable', { 'If-None-Match': tag })).status).toBe(200);
});

it.each<[string, () => Promise<Buffer>, string]>([
  ['a link', () => chart([yamlOf('bad', '1.0.0'), [{ name: 'bad/x', type: 'symlink', linkname: '/etc' }]]), 'link'],
  ['a device', () => chart([yamlOf('bad', '1.0.0'), [{ name: 'bad/x', type: 'block-device' }]]), 'device'],
  ['a way out', () => chart([yamlOf('bad', '1.0.0'), [{ name: 'bad/../../x' }, 'x']]), 'outside of its folder'],
  ['no Chart.yaml', () => chart([[{ name: 'bad/values.yaml' }, 'x']]), 'chart has no Chart.yaml'],
  [
    'no folder',
    () => chart([[{ name: 'Chart.yaml' }, 'apiVersion: v2\nname: bad\nversion: 1.0.0\n']]),
    'no Chart.yaml',
  ],
  ['no version', () => chart([yamlOf('bad', '..')]), 'version is invalid'],
  ['no archive', async () => Buffer.from('text'), 'not a gzipped tar archive'],
  [
    'a bomb',
    () =>
      chart([
        [{ name: 'bad/x', size: 2_000_000 }, '0'.repeat(2_000_000)],
        [{ name: 'bad/Chart.yaml' }, `a: ${'x'.repeat(2_000_000)}`],
      ]),
    'Chart.yaml is too large',
  ],
])('keeps nothing of a chart with %s', async (_what, content, text) => {
  const reply = await push('bad', await content());
  expect([reply.status, await reply.json()]).toEqual([400, { error: expect.stringContaining(text) }]);
  expect((await here.list('helm')).filter(({ name }) => name === 'bad')).toEqual([]);
});

it('refuses a chart whose file another chart of the channel has', async () => {
  expect((await push('twins', await chart([yamlOf('app', '1.0.0-1.0.0')]))).status).toBe(201);
  const twin = await chart([yamlOf('app-1.0.0', '1.0.0')]);
  const reply = await push('twins', twin);
  expect([reply.status, await reply.json()]).toEqual([400, { error: 'chart has the file name of another chart' }]);
  expect((await here.list('helm')).filter(({ name }) => name === 'app-1.0.0')).toEqual([]);
  expect((await push('other', twin)).status).toBe(201);
});

it('keeps nothing of a chart whose form fails behind it', async () => {
  const content = await chart([yamlOf('half', '1.0.0')]);
  expect((await push('half', content, 'x'.repeat(9_000))).status).toBe(400);
  const kept = async () => (await here.list('helm')).filter(({ name }) => name === 'half').length;
  expect(await kept()).toBe(0);
  expect((await push('half', content, 'x')).status).toBe(201);
  expect(await kept()).toBe(1);
});

it('refuses channels that are none, forms without a chart, and charts that are too large', async () => {
  const good = await chart([yamlOf('app', '2.0.0')]);
  expect((await push('..', good)).status).not.toBe(201);
  expect((await push('a%2Fb', good)).status).toBe(400);
  const none = await here.project('POST', 'helm/stable/charts', { body: new FormData() });
  expect(none.status).toBe(400);
  const large = await push('stable', Buffer.alloc(20_001));
  expect([large.status, await large.json()]).toEqual([400, expect.anything()]);
});
