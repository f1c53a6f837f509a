import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@switchyard/testkit';

const token = 'token-of-the-mock-ci-test';

/** An installation as far as a CI sees it: one project, its pipelines, its merge requests, its repository. */
class FakeApi {
  pipelines: { id: number; sha: string; ref: string }[] = [];
  mergeRequests: { iid: number; sha: string; source_branch: string; source_project_id: number }[] = [];
  readonly asked: string[] = [];
  readonly reports: Record<string, unknown>[] = [];
  /** Of every pipeline; undefined: the token may not read them. */
  variables: Record<string, unknown>[] | undefined = [];
  failing = false;
  private constructor(
    private readonly server: Server,
    readonly repository: string,
  ) {}

  static async start(): Promise<FakeApi> {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-fake-'));
    const repository = join(folder, 'shop.git');
    execFileSync('git', ['init', '-q', '--bare', repository]);
    const server = createServer((request, response) => fake.answer(request, response));
    const fake = new FakeApi(server, repository);
    await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
    return fake;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((settle) => this.server.close(settle));
    rmSync(join(this.repository, '..'), { recursive: true, force: true });
  }

  /** A commit with these files on a ref of its own. */
  commit(ref: string, files: Record<string, string>): string {
    const input = [
      `reset ${ref}\n\ncommit ${ref}\ncommitter A <a@example.com> 1700000000 +0000\ndata 1\nx\n`,
      ...Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`),
    ].join('');
    execFileSync('git', ['-C', this.repository, 'fast-import', '--quiet', '--force'], { input });
    return execFileSync('git', ['-C', this.repository, 'rev-parse', ref], { encoding: 'utf8' }).trim();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? '', 'http://localhost');
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (pathname.startsWith('/root/shop.git/')) return void this.git(request, response, pathname, search);
    if (request.headers['private-token'] !== token) return void json(401, { message: '401 Unauthorized' });
    this.asked.push(`${request.method} ${pathname}${search}`);
    if (this.failing) return void json(503, { message: '503' });
    const path = pathname.replace('/api/v4', '');
    if (path === '/user') return void json(200, { username: 'root' });
    if (path === '/projects') return void json(200, [{ id: 1, path_with_namespace: 'root/shop' }]);
    if (path === '/projects/1/merge_requests') return void json(200, this.mergeRequests);
    if (path === '/projects/1/pipelines') {
      if (search.includes('sha=')) return void json(200, []);
      const runs = search.includes('scope=running');
      return void json(
        200,
        this.pipelines.filter(({ id }) => (runs ? this.isRunning(id) : !this.isTaken(id))),
      );
    }
    if (path.endsWith('/ci_variables')) return void json(this.variables ? 200 : 403, this.variables ?? {});
    if (path.endsWith('/statuses') && request.method === 'GET') {
      const wanted = new URLSearchParams(search);
      const [id, name] = [Number(wanted.get('pipeline_id')), wanted.get('name')];
      const own = this.reports.filter((report) => report.pipeline_id === id && report.name === name).at(-1);
      return void json(200, own === undefined ? [] : [{ status: own.state }]);
    }
    const sha = /^\/projects\/1\/statuses\/(\w+)$/.exec(path)?.[1];
    if (request.method !== 'POST' || sha === undefined) return void json(404, {});
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const report = { sha, ...JSON.parse(body) };
      if (report.pipeline_id === 404) return void json(404, { message: '404 Pipeline Not Found' });
      this.reports.push(report);
      json(201, { pipeline_id: report.pipeline_id ?? 99 });
    });
  }

  private isTaken(id: number): boolean {
    return this.reports.some(({ pipeline_id }) => pipeline_id === id);
  }

  private isRunning(id: number): boolean {
    return this.reports.filter(({ pipeline_id }) => pipeline_id === id).at(-1)?.state === 'running';
  }

  private git(request: IncomingMessage, response: ServerResponse, pathname: string, search: string): void {
    const expected = `Basic ${Buffer.from(`mock-ci:${token}`).toString('base64')}`;
    if (request.headers.authorization !== expected) return void response.writeHead(401).end();
    const advertises = pathname.endsWith('/info/refs') && search === '?service=git-upload-pack';
    const env = { ...process.env, GIT_PROTOCOL: String(request.headers['git-protocol'] ?? '') };
    const args = ['upload-pack', '--stateless-rpc', ...(advertises ? ['--advertise-refs'] : []), this.repository];
    const child = spawn('git', args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
    response.setHeader('content-type', `application/x-git-upload-pack-${advertises ? 'advertisement' : 'result'}`);
    if (advertises) response.write('001e# service=git-upload-pack\n0000');
    if (request.headers['content-encoding'] === 'gzip') throw new Error('not understood here');
    request.pipe(child.stdin);
    child.stdout.pipe(response);
  }
}

let fake: FakeApi;
let ci: ChildProcess | undefined;
let output = '';

beforeEach(async () => {
  fake = await FakeApi.start();
  output = '';
});
afterEach(async () => {
  ci?.kill('SIGKILL');
  await fake.close();
});

function start(args: string[] = [], env: Record<string, string> = {}): Promise<number | null> {
  const child = spawn(process.execPath, [join(__dirname, '../local/mock-ci.mjs'), ...args], {
    env: {
      ...process.env,
      PORT: String(fake.port),
      HOST: '',
      SWITCHYARD_TOKEN: token,
      SWITCHYARD_DATA: tmpdir(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  ci = child;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  return new Promise((settle) => child.once('close', settle));
}

const states = (sha: string) => fake.reports.filter((report) => report.sha === sha).map(({ state }) => state);

test('a car is fetched by its ref, tested and reported with its pipeline; a file in it says that it fails', async () => {
  const [good, bad] = ['refs/merge-requests/1/train', 'refs/merge-requests/2/train'];
  const green = fake.commit(good, { 'a.txt': 'a', '.mock-ci': '# quick\nsleep 0.1\n' });
  const red = fake.commit(bad, { '.mock-ci': 'sleep 0.1\nfail\n' });
  fake.pipelines = [
    { id: 11, sha: green, ref: good },
    { id: 12, sha: red, ref: bad },
  ];
  const ended = start();
  await eventually(() => {
    expect(states(green)).toEqual(['running', 'success']);
    expect(states(red)).toEqual(['running', 'failed']);
  });
  expect(fake.reports.find(({ sha, state }) => sha === red && state === 'failed')).toMatchObject({
    pipeline_id: 12,
    name: 'mock-ci',
    description: '.mock-ci says fail',
  });
  expect(fake.asked).toContain('GET /api/v4/projects?membership=true&order_by=id&sort=asc&per_page=100');
  // A stop before the answer to a report is read would end its line, too.
  await eventually(() => {
    expect(output).toMatch(/root\/shop !1\/train \w{8} {2}success after [\d.]+ s/);
    expect(output).toMatch(/root\/shop !2\/train \w{8} {2}FAILED after/);
  });
  ci?.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(output).toMatch(/stopped\n$/);
});

test('a ref that has moved on is not reported, nor is a pipeline that is gone', async () => {
  const ref = 'refs/merge-requests/1/train';
  const old = fake.commit(ref, { 'a.txt': 'old' });
  fake.commit(ref, { 'a.txt': 'new' });
  fake.pipelines = [
    { id: 11, sha: old, ref },
    { id: 404, sha: old, ref },
  ];
  start();
  await eventually(() => {
    expect(output).toContain('has moved on');
    expect(output).toContain('not reported: 404');
  });
  expect(states(old)).toEqual(['running']);
});

test('what cannot be tested has failed', async () => {
  const ref = 'refs/merge-requests/1/train';
  const sha = fake.commit(ref, { '.mock-ci/a.txt': 'a folder' });
  fake.pipelines = [{ id: 11, sha, ref }];
  start();
  await eventually(() => expect(states(sha)).toEqual(['running', 'failed']));
  expect(fake.reports.at(-1)?.description).toMatch(/^fatal: /);
});

test('the head of a merge request that is not tested yet is tested once', async () => {
  const sha = fake.commit('refs/merge-requests/3/head', { '.mock-ci': 'sleep 0\n' });
  fake.mergeRequests = [{ iid: 3, sha, source_branch: 'door', source_project_id: 1 }];
  start();
  await eventually(() => expect(states(sha)).toEqual(['running', 'success']));
  expect(fake.reports[0]).toMatchObject({ ref: 'door' });
  expect(fake.reports[0]).not.toHaveProperty('pipeline_id');
  const polls = fake.asked.length;
  await eventually(() => expect(fake.asked.length).toBeGreaterThan(polls + 6));
  expect(states(sha)).toHaveLength(2);
});

test('a command decides by its exit code, in a working copy of the commit', async () => {
  const ref = 'refs/merge-requests/1/train';
  const bad = fake.commit(ref, { 'a.txt': 'broken' });
  fake.pipelines = [{ id: 11, sha: bad, ref }];
  start(['--name', 'unit', '--command', 'grep whole a.txt || { echo it is broken; false; }']);
  await eventually(() => expect(states(bad)).toEqual(['running', 'failed']));
  expect(fake.reports.at(-1)).toMatchObject({ name: 'unit', description: 'it is broken' });
  const good = fake.commit(ref, { 'a.txt': 'whole' });
  fake.pipelines = [{ id: 12, sha: good, ref }];
  await eventually(() => expect(states(good)).toEqual(['running', 'success']));
});

const variable = (key: string, value: string | null, given: object = {}) => ({
  key,
  value,
  variable_type: 'env_var',
  masked: false,
  ...given,
});

test('a command gets the variables of its pipeline; masked values are printed and reported nowhere', async () => {
  const ref = 'refs/merge-requests/1/train';
  const head = fake.commit('refs/merge-requests/3/head', { 'a.txt': 'head' });
  const sha = fake.commit(ref, { 'a.txt': 'a' });
  fake.pipelines = [{ id: 11, sha, ref }];
  fake.variables = [
    variable('PLAIN', 'blue "$HOME"'),
    variable('MASKED', 'Canary+of/the.mock', { masked: true }),
    variable('LONGER', 'Canary+of/the.mock-ci', { masked: true }),
    variable('CONFIG', 'line 1\nline 2', { variable_type: 'file' }),
    variable('DARK', null, { masked: true }),
    variable('CI_COMMIT_REF_NAME', 'not this one'),
  ];
  const written =
    'printf "%s|" "$PLAIN" "$(cat "$CONFIG" | tail -1)" "$(stat -c %a "$CONFIG")" "$DARK" "$CI_COMMIT_REF_NAME"; ' +
    // In two pieces, as another process writes between them.
    'printf Canary+of/; echo between >&2; sleep 0.1; printf "%s|%s" the.mock "$LONGER"';
  start(['--command', written]);
  await eventually(() => expect(states(sha)).toEqual(['running', 'success']));
  expect(fake.reports.findLast((report) => report.sha === sha)?.description).toBe(
    `blue "$HOME"|line 2|600||${ref}|[MASKED]|[MASKED]`,
  );
  // A line that was written after a report may be read later than the report.
  await eventually(() => expect(output).toMatch(/success after .*\[MASKED\]/));
  expect(output).toContain('without the hidden DARK');
  // A head without a pipeline gets one by its first report.
  fake.mergeRequests = [{ iid: 3, sha: head, source_branch: 'door', source_project_id: 1 }];
  await eventually(() => expect(states(head)).toEqual(['running', 'success']));
  expect(fake.asked).toContain('GET /api/v4/projects/1/pipelines/99/ci_variables');
  expect(output + JSON.stringify(fake.reports)).not.toContain('Canary');
});

test('a command runs without variables that the token may not read', async () => {
  const ref = 'refs/merge-requests/1/train';
  const sha = fake.commit(ref, { 'a.txt': 'a' });
  fake.pipelines = [{ id: 11, sha, ref }];
  fake.variables = undefined;
  start(['--command', 'true']);
  await eventually(() => expect(states(sha)).toEqual(['running', 'success']));
  await eventually(() => expect(output).toContain('without variables: 403'));
});

test('an installation that fails for a while is asked again', async () => {
  start();
  await eventually(() => expect(output).toContain('testing what waits'));
  fake.failing = true;
  await eventually(() => expect(output).toContain('trying again'));
  fake.failing = false;
  const ref = 'refs/merge-requests/1/train';
  const sha = fake.commit(ref, { '.mock-ci': 'sleep 0' });
  fake.pipelines = [{ id: 11, sha, ref }];
  await eventually(() => expect(states(sha)).toEqual(['running', 'success']));
});

test('what was interrupted is tested by the next start; what others run is theirs', async () => {
  const ref = 'refs/merge-requests/1/train';
  const sha = fake.commit(ref, { 'a.txt': 'a' });
  const head = fake.commit('refs/heads/door', { 'a.txt': 'door' });
  const foreign = fake.commit('refs/merge-requests/2/train', { 'a.txt': 'b' });
  fake.pipelines = [
    { id: 11, sha, ref },
    { id: 12, sha: foreign, ref: 'refs/merge-requests/2/train' },
    { id: 13, sha: head, ref: 'door' },
    { id: 14, sha: 'f'.repeat(40), ref: 'gone' },
  ];
  fake.reports.push(
    { pipeline_id: 12, sha: foreign, name: 'another', state: 'running' },
    { pipeline_id: 13, sha: head, name: 'mock-ci', state: 'running' },
    { pipeline_id: 14, sha: 'f'.repeat(40), name: 'mock-ci', state: 'running' },
  );
  const first = start(['--command', 'sleep 60']);
  await eventually(() => {
    expect(states(sha)).toEqual(['running']);
    expect(output.match(/running$/gm)).toHaveLength(3);
    expect(output).toContain('gone ffffffff  has moved on');
  });
  ci?.kill('SIGINT');
  expect(await first).toBe(0);
  expect(states(sha)).toEqual(['running']);

  start(['--command', 'true']);
  await eventually(() => {
    expect(states(sha)).toEqual(['running', 'running', 'success']);
    expect(states(head)).toEqual(['running', 'running', 'running', 'success']);
  });
  expect(fake.reports.at(-1)).toMatchObject({ name: 'mock-ci', pipeline_id: expect.any(Number) });
  const polls = fake.asked.length;
  await eventually(() => expect(fake.asked.length).toBeGreaterThan(polls + 6));
  expect(states(foreign)).toEqual(['running']);
  expect(states(sha)).toHaveLength(3);
});

test('a result is reported as soon as the installation takes it', async () => {
  const ref = 'refs/merge-requests/1/train';
  const sha = fake.commit(ref, { '.mock-ci': 'sleep 1' });
  fake.pipelines = [{ id: 11, sha, ref }];
  start();
  await eventually(() => expect(states(sha)).toEqual(['running']));
  fake.failing = true;
  await eventually(() => expect(output).toMatch(/!1\/train \w{8} {2}503 .*; trying again/));
  expect(states(sha)).toEqual(['running']);
  fake.failing = false;
  await eventually(() => expect(states(sha)).toEqual(['running', 'success']));
});

test.each([
  [{ SWITCHYARD_TOKEN: 'wrong' }, [], 'npm run mock-ci: the token is not accepted'],
  [{ SWITCHYARD_TOKEN: '', SWITCHYARD_ROOT_TOKEN: '' }, [], 'npm run mock-ci: no token: set'],
  [{}, ['--parallel', 'many'], 'npm run mock-ci: --parallel must be'],
  [{}, ['--projekt'], "npm run mock-ci: Unknown option '--projekt'"],
])('says in one line what is wrong: %j %j', async (env, args, line) => {
  expect(await start(args, env as Record<string, string>)).toBe(1);
  expect(output).toContain(line);
});

test('says that nothing runs there', async () => {
  const port = await freePort();
  expect(await start([], { PORT: String(port) })).toBe(1);
  expect(output).toBe(`npm run mock-ci: nothing answers at http://127.0.0.1:${port}: run npm start first\n`);
});
