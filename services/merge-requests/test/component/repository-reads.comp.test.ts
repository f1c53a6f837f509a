import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { SourceCodeServiceService } from '@switchyard/protos/merge_requests/v1/source_code';
import { eventually } from '@switchyard/testkit';
import { runningProcesses } from '../../src/git';
import { type Harness, type Person, people, type TestProject } from './repository-harness';
import { repositoryClient, startRepository } from './repository-rig';

let harness: Harness;
let project: TestProject;
let head: string;
const { at, get, post, write } = repositoryClient(() => ({ harness, project }));

beforeAll(async () => {
  ({ harness, project, head } = await startRepository());
});
afterAll(() => harness?.close());

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
type Body = any;

async function download(path: string, more: RequestInit = {}, person: Person = people.reporter) {
  const headers = { 'private-token': person.token, ...more.headers };
  const response = await fetch(`${harness.url}/api/v4${at(path)}`, { ...more, headers });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Files of a tar archive by name. */
function untar(tar: Buffer): Record<string, string> {
  const files: Record<string, string> = {};
  const text = (at: number, length: number) => tar.toString('latin1', at, at + length).replace(/\0.*$/s, '');
  for (let at = 0; at + 512 <= tar.length && tar[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    const name = [text(at + 345, 155), text(at, 100)].filter((part) => part !== '').join('/');
    if (text(at + 156, 1) === '0') files[name] = tar.toString('latin1', at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

/** Files of a zip archive by name. */
function unzip(zip: Buffer): Record<string, string> {
  const files: Record<string, string> = {};
  const end = zip.lastIndexOf('PK\x05\x06');
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [packed, nameLength, extra, comment] = [20, 28, 30, 32].map((place) =>
      place === 20 ? zip.readUInt32LE(at + place) : zip.readUInt16LE(at + place),
    ) as [number, number, number, number];
    const name = zip.toString('latin1', at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(from, from + packed);
    if (!name.endsWith('/'))
      files[name] = (zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(bytes) : bytes).toString('latin1');
    at += 46 + nameLength + extra + comment;
  }
  return files;
}

const unpacked = (bytes: Buffer, format: string): Record<string, string> =>
  format === 'zip'
    ? unzip(bytes)
    : untar(format === 'tar.gz' ? gunzipSync(bytes) : execFileSync('bzip2', ['-dc'], { input: bytes }));

/** A host may have none. */
const hasBzip2 = spawnSync('bzip2', ['--help'], { stdio: 'ignore' }).status === 0;

describe('archives', () => {
  test.each(['', '.tar.gz', '.tar.bz2', '.zip'])('archive%s holds the files of the default branch', async (ending) => {
    const { response, bytes } = await download(`/repository/archive${ending}`);
    if (ending === '.tar.bz2' && !hasBzip2) {
      expect([response.status, bytes.toString()]).toEqual([400, expect.stringContaining('need bzip2 on the server')]);
      return;
    }
    expect(response.status).toBe(200);
    const name = `project${project.id}-main-${head}`;
    const format = ending === '' ? 'tar.gz' : ending.slice(1);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${name}.${format}`);
    expect(unpacked(bytes, format)).toEqual({
      [`${name}/README.md`]: '# Hello\n',
      [`${name}/picture.bin`]: Buffer.from([0, 1, 2, 255]).toString('latin1'),
      [`${name}/src/deep/file name.txt`]: 'one\ntwo\n',
    });
  });

  test('of a commit, a branch or a folder, and not again when nothing has changed', async () => {
    await write('fix/it', [{ action: 'create', file_path: 'more.txt', content: 'more\n' }], { start_branch: 'main' });
    const branch = await download('/repository/archive.zip?sha=fix%2Fit');
    expect(Object.keys(unpacked(branch.bytes, 'zip'))).toContainEqual(
      expect.stringMatching(new RegExp(`^project${project.id}-fix-it-[0-9a-f]{40}/more.txt$`)),
    );
    const folder = await download(`/repository/archive?sha=${head}&path=src/deep/`);
    expect(unpacked(folder.bytes, 'tar.gz')).toEqual({
      [`project${project.id}-${head}-src-deep/src/deep/file name.txt`]: 'one\ntwo\n',
    });
    const etag = folder.response.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\//);
    const again = await download(`/repository/archive?sha=${head}&path=src/deep/`, {
      headers: { 'if-none-match': etag },
    });
    expect([again.response.status, again.bytes.length]).toEqual([304, 0]);
    const only = await download('/repository/archive', { method: 'HEAD' });
    expect([only.response.status, only.bytes.length]).toEqual([200, 0]);
  });

  test('what is not there is 404, to strangers everything', async () => {
    for (const query of ['sha=nowhere', 'path=nowhere', 'sha=main&path=../etc', 'path=:(glob)**', 'sha=--output=x']) {
      const { response, bytes } = await download(`/repository/archive?${query}`);
      expect([query, response.status, bytes.toString()]).toEqual([query, 404, '{"message":"404 File Not Found"}']);
    }
    expect((await download('/repository/archive.zip', {}, people.outsider)).response.status).toBe(404);
    expect((await download('/repository/archive.rar')).response.status).toBe(404);
  });

  test('a client that leaves ends it', async () => {
    const big = await harness.project();
    const folder = harness.folder();
    await harness.git(folder, 'init', '--quiet', '--initial-branch=main');
    const noise = Buffer.allocUnsafe(32 << 20);
    for (let place = 0; place < noise.length; place += 4) noise.writeUInt32LE((place * 2_654_435_761) >>> 0, place);
    writeFileSync(join(folder, 'noise.bin'), noise);
    await harness.git(folder, 'add', '.');
    await harness.git(folder, 'commit', '--quiet', '-m', 'Noise');
    await harness.git(folder, 'push', '--quiet', harness.remote(people.maintainer, big.path), 'main');
    const leaving = new AbortController();
    const address = `${harness.url}/api/v4/projects/${big.id}/repository/archive.zip`;
    const response = await fetch(address, {
      headers: { 'private-token': people.reporter.token },
      signal: leaving.signal,
    });
    expect(response.status).toBe(200);
    expect(runningProcesses().caller).toBeGreaterThan(0);
    leaving.abort();
    await eventually(() => expect(runningProcesses().caller).toBe(0), { within: 5_000, every: 50 });
  });
});

describe('blame', () => {
  const blame = (query: string, path = 'lines.txt') =>
    get(`/repository/files/${encodeURIComponent(path)}/blame?${query}`);
  let first: string;
  let second: string;

  beforeAll(async () => {
    const create = { action: 'create', file_path: 'lines.txt', content: 'one\ntwo\nthree\nfour\n' };
    first = await write('lines', [create], { start_branch: 'main', author_name: 'Zoe' });
    second = await write('lines', [{ action: 'update', file_path: 'lines.txt', content: 'one\nTWO\nTHREE\nfour' }]);
  });

  test('names the commit of each line', async () => {
    const { status, body, headers } = await blame('ref=lines');
    expect(status).toBe(200);
    expect(headers.get('x-gitlab-last-commit-id')).toBe(second);
    expect((body as Body[]).map(({ commit, lines }) => [commit.id, commit.author_name, lines])).toEqual([
      [first, 'Zoe', ['one']],
      [second, 'User 2', ['TWO', 'THREE', 'four']],
    ]);
  });

  test('of a range of lines alone', async () => {
    const lines = async (range: string) =>
      ((await blame(`ref=lines&${range}`)).body as Body[]).flatMap((one) => one.lines);
    expect(await lines('range[start]=1&range[end]=2')).toEqual(['one', 'TWO']);
    expect(await lines('range[start]=3&range[end]=99')).toEqual(['THREE', 'four']);
    expect(await lines('range[start]=9&range[end]=10')).toEqual([]);
  });

  test('says what is wrong', async () => {
    const error = async (query: string, path?: string) => {
      const { status, body } = await blame(query, path);
      return [status, (body as Body).error ?? (body as Body).message];
    };
    expect(await error('')).toEqual([400, 'ref is missing']);
    expect(await error('ref=lines&range[start]=1')).toEqual([400, expect.stringContaining('range[end]')]);
    expect(await error('ref=lines&range[start]=0&range[end]=2')).toEqual([
      400,
      expect.stringContaining('range[start]'),
    ]);
    expect(await error('ref=lines&range[start]=3&range[end]=2')).toEqual([
      400,
      'range[start] must be less than or equal to range[end]',
    ]);
    expect(await error('ref=nowhere')).toEqual([404, '404 Commit Not Found']);
    expect(await error('ref=main')).toEqual([404, '404 File Not Found']);
    expect(await error('ref=main', 'src')).toEqual([404, '404 File Not Found']);
  });
});

describe('merge requests', () => {
  test('show their diff as git prints it, and are found by their commits', async () => {
    const one = await write('work', [{ action: 'create', file_path: 'w.txt', content: 'w\n' }], {
      start_branch: 'main',
    });
    const two = await write('work', [{ action: 'create', file_path: 'x.txt', content: 'x\n' }]);
    const opened = await post('/merge_requests', { source_branch: 'work', target_branch: 'main', title: 'Work' });
    expect(opened.status).toBe(201);
    const iid = (opened.body as Body).iid;
    const { response, bytes } = await download(`/merge_requests/${iid}/raw_diffs`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const folder = harness.folder();
    await harness.git(folder, 'clone', '--quiet', harness.remote(people.reporter, project.path), '.');
    writeFileSync(join(folder, '..', `diff-${iid}`), bytes);
    await harness.git(folder, 'apply', join(folder, '..', `diff-${iid}`));
    expect(readFileSync(join(folder, 'x.txt'), 'utf8')).toBe('x\n');
    expect((await download('/merge_requests/999/raw_diffs')).response.status).toBe(404);
    expect((await download(`/merge_requests/${iid}/raw_diffs`, {}, people.outsider)).response.status).toBe(404);

    const of = async (sha: string, query = '') => {
      const { status, body } = await get(`/repository/commits/${sha}/merge_requests${query}`);
      return status === 200 ? (body as Body[]).map((found) => found.iid) : [status, (body as Body).message];
    };
    expect(await of(one)).toEqual([iid]);
    expect(await of('work')).toEqual([iid]);
    expect(await of(two, '?state=opened')).toEqual([iid]);
    expect(await of(two, '?state=merged')).toEqual([]);
    expect(await of(head)).toEqual([]);
    expect(await of('nowhere')).toEqual([404, '404 Commit Not Found']);
  });
});

it('reads source code for packages: tags, commits, files, trees and contents of every size', async () => {
  const large = Buffer.alloc(3 << 20, 'abcdefg');
  const sha = await write(
    'source',
    [
      { action: 'create', file_path: 'mod/go.mod', content: 'module x\n' },
      { action: 'create', file_path: 'mod/a b/ä.go', content: '' },
      { action: 'create', file_path: 'mod/large', content: large.toString('base64'), encoding: 'base64' },
    ],
    { start_branch: 'main' },
  );
  for (const [tag_name, ref] of [
    ['mod/v1.0.0', sha],
    ['mod/v0.1.0', head],
    ['other', sha],
  ])
    expect((await post('/repository/tags', { tag_name, ref }, people.maintainer)).status).toBe(201);
  const source = harness.asPackages(SourceCodeServiceService);
  const options = { requestId: 'test' };
  const projectId = project.id;
  const tags = async (reachableFrom: string) =>
    (await source.listSourceTags({ projectId, prefix: 'mod/v', reachableFrom }, options)).tags
      .map(({ name, commitSha }) => [name, commitSha])
      .sort();
  expect(await tags('')).toEqual([
    ['mod/v0.1.0', head],
    ['mod/v1.0.0', sha],
  ]);
  expect(await tags(head)).toEqual([['mod/v0.1.0', head]]);
  expect(await source.findSourceCommit({ projectId, revision: 'refs/tags/mod/v1.0.0' }, options)).toEqual({
    commitSha: sha,
    committedAt: expect.any(Date),
  });
  expect((await source.findSourceCommit({ projectId, revision: '' }, options)).commitSha).toBe(head);
  await expect(source.findSourceCommit({ projectId, revision: 'none' }, options)).rejects.toMatchObject({
    kind: 'not_found',
  });
  const places = ['mod/go.mod', 'mod', '../x', 'mod/large'].map((path) => ({ commitSha: sha, path }));
  const { files } = await source.readSourceFiles({ projectId, places, mostBytes: 100 }, options);
  expect(files.map(({ size, content }) => [size, content?.toString()])).toEqual([
    [9, 'module x\n'],
    [undefined, undefined],
    [undefined, undefined],
    [large.length, undefined],
  ]);
  const entries = [];
  for await (const some of source.listSourceTree({ projectId, commitSha: sha, path: 'mod' }, options))
    entries.push(...some.entries);
  expect(entries.map(({ path, mode, size }) => [path, mode, size])).toEqual([
    ['a b/ä.go', '100644', 0],
    ['go.mod', '100644', 9],
    ['large', '100644', large.length],
  ]);
  const parts: Buffer[][] = [[], [], []];
  for await (const { index, content } of source.streamSourceBlobs(
    { projectId, shas: entries.map((one) => one.sha) },
    options,
  ))
    parts[index]?.push(content);
  expect(parts.map((one) => Buffer.concat(one).equals(large))).toEqual([false, false, true]);
  expect(parts[0]?.length).toBe(1);
  expect(Buffer.concat(parts[1] ?? []).toString()).toBe('module x\n');
  const noFile = source.streamSourceBlobs({ projectId, shas: [sha] }, options);
  await expect(noFile[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'not_found' });
  await eventually(() => expect(runningProcesses()).toEqual({ caller: 0, background: 0 }));
});
