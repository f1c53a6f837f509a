import { sql } from '@switchyard/database/sql';
import { type AppError, invalid, unavailable } from '@switchyard/errors';
import { type ImportSnippetRequest, SnippetServiceService } from '@switchyard/protos/collaboration/v1/snippet';
import { GistImportEvent } from '@switchyard/protos/imports_exports/events/v1/gist_import_event';
import {
  GistImportServiceService,
  type StartGistImportRequest,
} from '@switchyard/protos/imports_exports/v1/gist_import';
import { implement, type RpcClient } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { type FakeForge, type ForgeFault, startFakeForge } from '@switchyard/testkit/forge';
import { type TestInstallation, testInstallation } from '@switchyard/testkit/installation';
import { service } from '../../src/service';
import { keysIn } from '../support/keys';

/** What collaboration was asked for, what it refuses next, and what it waits for before it answers. */
const snippets = {
  made: new Map<string, ImportSnippetRequest>(),
  requests: 0,
  refusals: [] as AppError[],
  held: undefined as Promise<void> | undefined,
};

// biome-ignore lint/suspicious/noExplicitAny: of the calls of snippets an import makes one
const calls: any = {
  ...Object.fromEntries(
    Object.keys(SnippetServiceService).map((name) => [name, () => Promise.reject(new Error(name))]),
  ),
  async importSnippet(request: ImportSnippetRequest) {
    snippets.requests += 1;
    await snippets.held;
    const refusal = snippets.refusals.shift();
    if (refusal !== undefined) throw refusal;
    const created = !snippets.made.has(request.foreignId);
    if (created) snippets.made.set(request.foreignId, request);
    return { created };
  },
};

let here: TestInstallation;
let imports: RpcClient<typeof GistImportServiceService>;
let forge: FakeForge;
/** A forge without gists: an import from it has the process look for what waits. */
let quiet: FakeForge;

beforeAll(async () => {
  quiet = await startFakeForge();
  here = await testInstallation({
    service,
    peers: () => [implement(SnippetServiceService, calls, { importSnippet: { callers: ['imports-exports'] } })],
    environment: (folder) => ({ ...keysIn(folder), SWITCHYARD_OUTBOUND_ALLOWED: '127.0.0.1' }),
  });
  imports = here.client(GistImportServiceService);
});
afterAll(async () => {
  await here?.close();
  await quiet?.close();
});
beforeEach(async () => {
  forge = await startFakeForge();
  Object.assign(snippets, { made: new Map(), requests: 0, refusals: [], held: undefined });
});
afterEach(() => forge.close());

const at = '2020-01-02T03:04:05Z';
const file = (filename: string, more: object = {}) => ({
  ...{ filename, content: `In ${filename}`, truncated: false, raw_url: `${forge.url}/raw/${filename}` },
  ...more,
});
const gist = (id: string, files: object[] = [file('a.txt')], more: object = {}) => ({
  ...{ id, description: `Gist ${id}`, public: true, html_url: `https://gist.forge.example/${id}` },
  ...{ created_at: at, updated_at: '2021-01-02T03:04:05Z' },
  files: Object.fromEntries(files.map((one, index) => [`${index}`, one])),
  ...more,
});
const files = (count: number) => Array.from({ length: count }, (_, index) => file(`${index}.txt`));

let users = 100;
/** Begins an import, each of another user. */
async function start(given: Partial<StartGistImportRequest> = {}, id = ++users): Promise<number> {
  const reply = await imports.startGistImport(
    { personalAccessToken: forge.token, hostname: forge.url, ...given },
    here.as({ id }),
  );
  expect([reply.status, reply.json.length]).toEqual([202, 0]);
  return id;
}

interface Row {
  readonly status: string;
  readonly problem: string | null;
  readonly imported: number;
  readonly skipped: number;
  readonly token: Buffer | null;
}
const rowOf = async (author: number) =>
  (await here.db.one<Row>(
    sql`select status, problem, imported, skipped, token from gist_imports where author_id = ${author}`,
  )) as Row;
/** Waits for the end of an import; every pause of it ends at once. */
const ended = (author: number) =>
  eventually(
    async () => {
      await here.db.query(
        sql`update gist_imports set leased_until = now() where lease is null and leased_until > now()`,
      );
      await start({ personalAccessToken: quiet.token, hostname: quiet.url });
      const row = await rowOf(author);
      expect(row).toMatchObject({ status: expect.stringMatching(/finished|failed/), token: null });
      return row;
    },
    { within: 30_000 },
  );
const events = async (author: number) => {
  const rows = await here.db.query<{ body: unknown }>(sql`
    select body from events.outbox, gist_imports i
    where author_id = ${author} and event_id like 'gist_import.ended:' || i.id || ':%'`);
  return rows.map(({ body }) => GistImportEvent.fromJSON(body));
};
const pages = () => forge.requests.flatMap(({ url }) => /\/gists\?page=(\d+)&per_page=20$/.exec(url)?.slice(1) ?? []);

it('makes snippets of gists, page by page, and lists those that it left out (G-4.19-3)', async () => {
  forge.contents.gists = [
    gist('one', [file('a.md'), file('b.md', { content: '', truncated: true })], { description: 'Two\nfiles' }),
    gist('secret', files(10), { public: false, description: '' }),
    gist('many', files(11)),
    gist('binary', [file('x.bin', { content: 'a\0b' })]),
    gist('cut', [file('lost.txt', { truncated: true })]),
    gist('inside', [file('x', { truncated: true, raw_url: 'http://169.254.169.254/latest' })]),
    gist('refused'),
    ...Array.from({ length: 15 }, (_, index) => gist(`more-${index}`)),
  ];
  forge.contents.raw['b.md'] = 'whole';
  forge.breakNext(/gists\/more-3/, (_, response) => response.writeHead(404).end());
  snippets.refusals = [undefined as never, undefined as never, invalid({ files: ['are wrong'] })];
  const author = await start();
  expect(await ended(author)).toMatchObject({ status: 'finished', problem: null, imported: 16, skipped: 6 });
  expect(snippets.made.get('one')).toEqual({
    ...{ authorId: author, importedFrom: 'github', foreignId: 'one', title: 'Two', description: 'Two\nfiles' },
    ...{ visibility: 'public', createdAt: new Date(at), updatedAt: new Date('2021-01-02T03:04:05Z') },
    files: [
      { path: 'a.md', content: 'In a.md', action: '', previousPath: '' },
      { path: 'b.md', content: 'whole', action: '', previousPath: '' },
    ],
  });
  expect(snippets.made.get('secret')).toMatchObject({ visibility: 'private', title: '0.txt' });
  expect(pages()).toEqual(['1', '2']);
  expect(forge.requests.filter(({ url }) => url.includes('gists/many'))).toEqual([]);
  const left = (name: string, reason: string) => ({
    ...{ title: `Gist ${name}`, url: `https://gist.forge.example/${name}` },
    reason,
  });
  expect(await events(author)).toMatchObject([
    {
      ...{ authorId: author, problem: '', imported: 16, skipped: 6 },
      skippedGists: [
        left('many', 'it has more than 10 files'),
        left('binary', 'it has a file that is no text'),
        left('cut', 'it is gone, or too large'),
        left('inside', 'it is gone, or too large'),
        left('refused', 'no snippet can hold it'),
        left('more-3', 'it is gone, or too large'),
      ],
    },
  ]);
});

it('publishes nothing where every gist came over, and makes none a second time', async () => {
  forge.contents.gists = [gist('one'), gist('two')];
  const author = await start();
  expect(await ended(author)).toMatchObject({ status: 'finished', imported: 2, skipped: 0 });
  expect(await events(author)).toEqual([]);
  await here.db.query(sql`delete from gist_imports where author_id = ${author}`);
  await start({}, author);
  await ended(author);
  expect([snippets.made.size, snippets.requests]).toEqual([2, 4]);
});

it.each<[string, Partial<StartGistImportRequest>, ForgeFault | undefined, object]>([
  [
    'a token that the forge does not accept',
    { personalAccessToken: 'other' },
    undefined,
    { kind: 'unauthorized', body: { errors: 'Access denied to the GitHub account' } },
  ],
  [
    'a token that no header can carry',
    { personalAccessToken: 'ключ' },
    undefined,
    { kind: 'unauthorized', body: { errors: 'Access denied to the GitHub account' } },
  ],
  [
    'a forge that asks for a pause',
    {},
    (_, response) => response.writeHead(429, { 'Retry-After': '300' }).end(),
    { kind: 'rate_limited', retryAfter: 300, body: { errors: 'GitHub API rate limit exceeded' } },
  ],
  [
    'a forge that has no gists',
    {},
    (_, response) => response.writeHead(404).end(),
    { kind: 'unprocessable', body: { errors: 'The forge answered 404' } },
  ],
  [
    'a forge that sends something else',
    {},
    (_, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'),
    { kind: 'unprocessable', body: { errors: 'The forge sent something else than was asked for' } },
  ],
  [
    'a redirect to the inside',
    {},
    (_, response) => response.writeHead(302, { Location: 'http://169.254.169.254/' }).end(),
    { kind: 'invalid', body: { errors: expect.stringMatching(/^Invalid URL: /) } },
  ],
  [
    'an address inside',
    { hostname: 'http://10.0.0.1' },
    undefined,
    { kind: 'invalid', body: { errors: 'Invalid URL: http://10.0.0.1' } },
  ],
])('refuses %s, and keeps nothing (G-4.19-3, G-4.19-7)', async (_, given, fault, refusal) => {
  if (fault !== undefined) forge.breakNext(/gists/, fault);
  await expect(start(given)).rejects.toMatchObject(refusal);
  expect(await rowOf(users)).toBeUndefined();
});

it('begins one import of a user at a time, and keeps its token encrypted (G-4.19-3)', async () => {
  forge.contents.gists = [gist('one')];
  snippets.refusals = [unavailable()];
  let release = (): void => undefined;
  snippets.held = new Promise((settle) => {
    release = settle;
  });
  const author = await start();
  await eventually(async () => expect(snippets.requests).toBe(1));
  const { token } = await rowOf(author);
  expect(token?.includes(forge.token)).toBe(false);
  await expect(start({}, author)).rejects.toMatchObject({
    kind: 'unprocessable',
    body: { errors: 'Import already in progress' },
  });
  // It holds up nobody else's.
  const other = await start({ personalAccessToken: quiet.token, hostname: quiet.url });
  await eventually(async () => expect(await rowOf(other)).toMatchObject({ status: 'finished' }));
  release();
  expect(await ended(author)).toMatchObject({ status: 'finished', imported: 1 });
});

it('waits as long as the forge asks, and goes on at the page where it stopped', async () => {
  forge.contents.gists = Array.from({ length: 50 }, (_, index) => gist(`${index}`));
  forge.breakNext(/page=2&per_page=20/, (_, response) => response.writeHead(429, { 'Retry-After': '300' }).end());
  forge.breakNext(/page=3&per_page=20/, (_, response) => void response.destroy());
  const author = await start();
  await eventually(async () => {
    const row = await here.db.one<{ left: number }>(sql`
      select extract(epoch from leased_until - now())::float8 as left from gist_imports
      where author_id = ${author} and lease is null`);
    expect(row?.left).toBeGreaterThan(250);
  });
  expect(await ended(author)).toMatchObject({ status: 'finished', imported: 50 });
  expect(pages()).toEqual(['1', '2', '2', '3', '3']);
  expect([snippets.made.size, snippets.requests]).toEqual([50, 50]);
});

it('fails with a reason where another try would not help, and after 12 failures in a row', async () => {
  forge.contents.gists = [gist('one')];
  forge.breakNext(/per_page=20/, (_, response) => response.writeHead(401).end());
  const refused = await start();
  expect(await ended(refused)).toMatchObject({ status: 'failed', problem: 'The forge does not accept the token' });
  expect(await events(refused)).toMatchObject([{ problem: 'The forge does not accept the token', skippedGists: [] }]);
  for (let failure = 0; failure < 12; failure += 1)
    forge.breakNext(/per_page=20/, (_, response) => response.writeHead(503).end());
  const away = await start();
  expect(await ended(away)).toMatchObject({ status: 'failed', problem: 'The forge answered 503' });
  expect(pages()).toHaveLength(13);
});

it('leaves out what no gist can be', async () => {
  forge.contents.gists = [
    gist('fine'),
    gist('..'),
    gist('year-zero', files(1), { created_at: '0000-00-00T00:00:00Z' }),
    gist('script', files(1), { html_url: 'javascript:alert(1)' }),
    gist('half', [{ filename: 7 }]),
  ];
  const author = await start();
  expect(await ended(author)).toMatchObject({ status: 'finished', imported: 1, skipped: 0 });
  expect([...snippets.made.keys()]).toEqual(['fine']);
});
