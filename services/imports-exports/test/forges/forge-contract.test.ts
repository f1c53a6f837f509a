import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { openOutbound, parseAllowed } from '@switchyard/outbound';
import {
  type ForgeServer,
  startFakeForge,
  startFakeForgebCloud,
  startFakeForgebServer,
  startForgeServer,
} from '@switchyard/testkit/forge';
import type { ForgeIssue, ForgeKind, ForgePage, ForgeRepository } from '../../src/forges';
import { forgesBy } from '../../src/forges';

/** Every kind of forge against a stand-in of it: whatever it answers, an import gets what it can use, or a clear problem. */

const outbound = openOutbound({ allowed: parseAllowed('127.0.0.1') });
afterAll(() => outbound.close());

const at = '2020-01-02T03:04:05Z';

/** A kind of forge as the contract sees it. */
interface Kind {
  readonly kind: ForgeKind;
  readonly start: () => Promise<ForgeServer>;
  /** Names the repository. */
  readonly repository: string;
  readonly token: string;
  /** What a repository is called whose name leads elsewhere. */
  readonly evil: object;
  /** Path of the list of issues, and an issue as the forge has it; undefined for a forge without issues. */
  readonly issues?: {
    readonly path: RegExp;
    readonly issue: (id: unknown, more?: { title?: unknown; createdAt?: string }) => object;
    /** An answer with these items, and another page at an address, or none. */
    readonly send: (response: ServerResponse, items: readonly object[], next: string | undefined) => void;
  };
}

const json = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}): void =>
  void response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));

const kinds: readonly Kind[] = [
  {
    kind: 'github',
    start: () => startFakeForge(),
    repository: '1',
    token: 'forge-token',
    evil: { name: '..', full_name: 'octo/..', description: null, private: true, default_branch: 'main' },
    issues: {
      path: /\/issues/,
      issue: (number, { title = `Issue ${number}`, createdAt = at } = {}) => ({
        ...{ number, title, body: null, state: 'open', user: { login: 'octocat' }, labels: [], milestone: null },
        ...{ assignees: [], locked: false, closed_at: null, created_at: createdAt, updated_at: at },
      }),
      send: (response, items, next) =>
        json(response, items, next === undefined ? {} : { Link: `<${next}>; rel="next"` }),
    },
  },
  {
    kind: 'bitbucket',
    start: () => startFakeForgebCloud(),
    repository: 'octo/things',
    token: 'octocat:app-password',
    evil: { full_name: 'octo/..', description: '', is_private: true },
    issues: {
      path: /\/issues/,
      issue: (id, { title = `Issue ${id}`, createdAt = at } = {}) => ({
        ...{ id, title, content: { raw: '' }, state: 'new', kind: 'bug', reporter: { nickname: 'octocat' } },
        ...{ assignee: null, milestone: null, created_on: createdAt, updated_on: at },
      }),
      send: (response, values, next) => json(response, { values, ...(next === undefined ? {} : { next }) }),
    },
  },
  {
    kind: 'bitbucket_server',
    start: () => startFakeForgebServer(),
    repository: 'OCTO/things',
    token: 'octocat:server-token',
    evil: { slug: '..', project: { key: 'OCTO' }, public: false },
  },
];

/** An opened forge, with its stand-in. */
async function opened({ kind, start, token }: Pick<Kind, 'kind' | 'start' | 'token'>) {
  const server = await start();
  servers.push(server);
  const place = { forge: kind, host: kind === 'bitbucket' ? '' : server.url };
  return { server, forge: forgesBy(outbound, server.url).open(place, token) };
}

let servers: ForgeServer[] = [];
afterEach(async () => {
  await Promise.all(servers.map((one) => one.close()));
  servers = [];
});

const any = /./;

describe.each(kinds)('$kind', (given) => {
  const { repository } = given;

  it('gives a repository, which git clones from the same host', async () => {
    const { server, forge } = await opened(given);
    const found = await forge.repository(repository);
    expect(found).toMatchObject({ name: 'things', description: 'Things', isPrivate: true, defaultBranch: 'main' });
    expect(found.fullName).toMatch(/^octo\/things$/i);
    expect(new URL(found.cloneUrl).origin).toBe(server.url);
    expect(forge.authorization).toMatch(/^Basic /);
  });

  it.each([
    ['401', 401, {}, { kind: 'token' }],
    ['403', 403, {}, { kind: 'forbidden' }],
    ['404', 404, {}, { kind: 'not_found' }],
    ['a pause', 429, { 'Retry-After': '7' }, { kind: 'later', seconds: 7 }],
    ['a pause without a length', 429, {}, { kind: 'later', seconds: 60 }],
    ['a pause of years', 429, { 'Retry-After': '999999999' }, { kind: 'later', seconds: 3_600 }],
    ['a pause of a date', 429, { 'Retry-After': 'Fri, 31 Dec 9999 23:59:59 GMT' }, { kind: 'later', seconds: 60 }],
    ['503', 503, {}, { kind: 'later', seconds: undefined }],
    ['a redirect to the inside', 302, { Location: 'http://169.254.169.254/' }, { kind: 'address' }],
    ['a redirect to itself', 302, { Location: '/' }, { kind: expect.stringMatching(/^(refused|not_found)$/) }],
  ] as const)('%s is a problem of its kind', async (_, status, headers, problem) => {
    const { server, forge } = await opened(given);
    server.breakNext(any, (_request, response) => response.writeHead(status, headers).end('{}'));
    await expect(forge.repository(repository)).rejects.toMatchObject(problem);
  });

  it.each([
    ['broken off', (response: ServerResponse) => response.destroy()],
    ['half', (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"na')],
    ['of another type', (response: ServerResponse) => json(response, [1, null, 'x'])],
    ['null', (response: ServerResponse) => json(response, null)],
    ['nested too deeply', (response: ServerResponse) => response.writeHead(200).end('['.repeat(200_000))],
    ['a page for people', (response: ServerResponse) => response.writeHead(200).end('<html>')],
    ['a name that leads elsewhere', (response: ServerResponse) => json(response, given.evil)],
  ] as const)('an answer that is %s is asked for again', async (_, send) => {
    const { server, forge } = await opened(given);
    server.breakNext(any, (_request, response) => void send(response));
    await expect(forge.repository(repository)).rejects.toMatchObject({ kind: 'later' });
    expect(await forge.repository(repository)).toMatchObject({ name: 'things' });
  });

  it('an answer of a gigabyte, and one that would unpack to it, are refused', async () => {
    const { server, forge } = await opened(given);
    server.breakNext(any, (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const piece = Buffer.alloc(1 << 20, ' ');
      const send = (): void => {
        if (!response.destroyed) response.write(piece, send);
      };
      send();
    });
    await expect(forge.repository(repository)).rejects.toMatchObject({
      ...{ kind: 'refused', message: 'The answer of the forge is too long' },
    });
    const bomb = gzipSync(Buffer.alloc(64 << 20, ' '));
    server.breakNext(any, (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(bomb),
    );
    await expect(forge.repository(repository)).rejects.toMatchObject({
      ...{ kind: 'refused', message: 'The forge sent a compressed answer, which it was not asked for' },
    });
  });

  it('no other host is shown the token', async () => {
    const { server, forge } = await opened(given);
    const other = await startForgeServer((_request, response) => json(response, {}));
    servers.push(other);
    // A host of another name, which is the same machine.
    server.breakNext(any, (_request, response) => response.writeHead(307, { Location: `${other.url}/x` }).end());
    await expect(forge.repository(repository)).rejects.toMatchObject({ kind: 'later' });
    expect(other.requests.map(({ authorization }) => authorization)).toEqual(['']);
  });

  it('a token that no header can carry is refused without a question', async () => {
    for (const secret of ['a\nb', 'ключ', 'a b', '']) {
      const token = given.token.includes(':') ? `octocat:${secret}` : secret;
      const { server, forge } = await opened({ ...given, token });
      await expect(forge.repository(repository)).rejects.toMatchObject({ kind: 'token' });
      expect(server.requests).toEqual([]);
    }
  });
});

describe.each(kinds.filter((one) => one.issues !== undefined))('lists of $kind', (given) => {
  const { path, issue, send } = given.issues as NonNullable<Kind['issues']>;

  /** Where a list goes on; undefined at its end. */
  const nextOf = ({ isLast, next }: ForgePage<unknown>, page: number): number | undefined =>
    isLast ? undefined : (next ?? page + 1);

  const list = async (answer: (response: ServerResponse, server: ForgeServer) => void, size = 10) => {
    const { server, forge } = await opened(given);
    const found: ForgeRepository = await forge.repository(given.repository);
    server.breakNext(path, (_request, response) => answer(response, server));
    return forge.issues(found, 1, size);
  };

  it('come page by page, each item once', async () => {
    const { server, forge } = await opened(given);
    const { contents } = server as ForgeServer & { contents: { lists: Record<string, object[]> } };
    contents.lists.issues = Array.from({ length: 25 }, (_, index) => issue(index + 1));
    const found = await forge.repository(given.repository);
    const pages: ForgeIssue[][] = [];
    for (let page: number | undefined = 1; page !== undefined; ) {
      const some: ForgePage<ForgeIssue> = await forge.issues(found, page, 10);
      pages.push([...some.items]);
      page = nextOf(some, page);
    }
    expect(pages.map((one) => one.length)).toEqual([10, 10, 5]);
    expect(pages.flat().map(({ iid }) => iid)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  });

  it('leave out what no issue can be, and keep the others', async () => {
    const items = [
      issue(1, { createdAt: '0000-01-01T00:00:00Z' }),
      issue(2, { createdAt: '99999-01-01T00:00:00Z' }),
      issue(3, { title: 7 }),
      issue('4'),
      issue(-5),
      issue(2 ** 53),
      null as unknown as object,
      issue(8, { title: 'a\0b\ud800 🐛' }),
    ];
    const { items: kept, fetched } = await list((response) => send(response, items, undefined));
    expect(kept.map(({ iid, title }) => [iid, title])).toEqual([[8, 'ab\ufffd 🐛']]);
    expect(fetched).toBe(8);
  });

  it('are refused where a page has more than was asked for', async () => {
    const items = Array.from({ length: 11 }, (_, index) => issue(index + 1));
    await expect(list((response) => send(response, items, undefined))).rejects.toMatchObject({
      ...{ kind: 'refused', message: 'The forge sent more than the 10 items of a page' },
    });
  });

  it('never go on where they were, nor at another host', async () => {
    const other = await startForgeServer((_request, response) => json(response, {}));
    servers.push(other);
    const addresses = [
      (server: ForgeServer) => `${server.url}/issues?page=1`,
      (server: ForgeServer) => `${server.url}/issues?page=0`,
      () => `${other.url}/issues?page=2`,
      () => 'http://169.254.169.254/?page=2',
      () => 'no address',
    ];
    for (const address of addresses) {
      const next = await list((response, server) => send(response, [issue(1)], address(server))).then(
        (page) => nextOf(page, 1),
        ({ kind }: { kind: string }) => kind,
      );
      expect([2, 'refused', 'later']).toContain(next);
    }
    expect(other.requests).toEqual([]);
  });

  it('end where a page is empty, whatever it says of another one', async () => {
    const next = await list((response, server) => send(response, [], `${server.url}/issues?page=2`)).then(
      (page) => nextOf(page, 1),
      ({ kind }: { kind: string }) => kind,
    );
    expect([undefined, 'refused']).toContain(next);
  });
});

it('comments of the cloud forge are found issue by issue, and go on within an issue', async () => {
  const { server, forge } = await opened(kinds[1] as Kind);
  const { contents } = server as Awaited<ReturnType<typeof startFakeForgebCloud>>;
  const issue = kinds[1]?.issues?.issue as NonNullable<Kind['issues']>['issue'];
  const comment = (id: number, raw: string | null = `Comment ${id}`) => ({
    ...{ id, content: { raw }, user: { display_name: 'Hubot' }, created_on: at, updated_on: null },
  });
  contents.lists.issues = Array.from({ length: 45 }, (_, index) => issue(index + 1));
  contents.lists['issues/3/comments'] = Array.from({ length: 5 }, (_, index) => comment(index + 1));
  contents.lists['issues/44/comments'] = [comment(9), comment(10, null), comment(11, '')];
  const found = await forge.repository('octo/things');
  const notes: [number, number, string][] = [];
  const places = [1];
  for (let place: number | undefined = 1; place !== undefined; ) {
    const page: Awaited<ReturnType<typeof forge.issueNotes>> = await forge.issueNotes(found, place, 2);
    expect(page.items.length).toBeLessThanOrEqual(2);
    for (const { foreignId, iid, author } of page.items) notes.push([foreignId, iid, author]);
    place = page.isLast ? undefined : (page.next as number);
    if (place !== undefined) places.push(place);
  }
  expect(notes).toEqual([...[1, 2, 3, 4, 5].map((id) => [id, 3, 'Hubot']), [9, 44, 'Hubot']]);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(new Set(places).size).toBe(places.length);
});

it('git signs in to the cloud forge with an API token under its own name', async () => {
  const open = (token: string) => forgesBy(outbound, undefined).open({ forge: 'bitbucket', host: '' }, token);
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  expect(open('octo@example.com:t:1').authorization).toBe(basic('x-bitbucket-api-token-auth:t:1'));
  expect(open('octocat:p').authorization).toBe(basic('octocat:p'));
});
