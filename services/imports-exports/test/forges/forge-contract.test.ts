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
import type { ForgeKind, ForgePage, ForgeRepository } from '../../src/forges';
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
  readonly lists: readonly List[];
}

/** What every kind of list has to bear. */
interface List {
  readonly name: 'issues' | 'pulls';
  readonly path: RegExp;
  /** An item as the forge has it. */
  readonly item: (id: unknown, more?: { title?: unknown; createdAt?: string }) => object;
  /** An answer with these items, and another page at an address, or none. */
  readonly send: (response: ServerResponse, items: readonly object[], next: string | undefined) => void;
}

const json = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}): void =>
  void response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));

const sendLinked: List['send'] = (response, items, next) =>
  json(response, items, next === undefined ? {} : { Link: `<${next}>; rel="next"` });
const sendNext: List['send'] = (response, values, next) =>
  json(response, { values, ...(next === undefined ? {} : { next }) });
/** The page of an address is where the next one starts; one that is none is no number. */
const sendStart: List['send'] = (response, values, next) => {
  const start = next === undefined ? null : Number(/page=(\d)/.exec(next)?.[1]) - 1;
  json(response, { values, isLastPage: next === undefined, nextPageStart: start });
};

const sha = 'a'.repeat(40);
const dated = (createdAt: string) => ({ created_at: createdAt, updated_at: at });
const end = { branch: { name: 'x'.repeat(300) }, commit: { hash: 'a'.repeat(12) }, repository: null };

const kinds: readonly Kind[] = [
  {
    kind: 'github',
    start: () => startFakeForge(),
    repository: '1',
    token: 'forge-token',
    evil: { name: '..', full_name: 'octo/..', description: null, private: true, default_branch: 'main' },
    lists: [
      {
        ...{ name: 'issues', path: /\/issues/, send: sendLinked },
        item: (number, { title = `Number ${number}`, createdAt = at } = {}) => ({
          ...{ number, title, body: null, state: 'open', user: { login: 'octocat' }, labels: [], milestone: null },
          ...{ assignees: [], locked: false, closed_at: null, ...dated(createdAt) },
        }),
      },
      {
        ...{ name: 'pulls', path: /\/pulls/, send: sendLinked },
        item: (number, { title = `Number ${number}`, createdAt = at } = {}) => ({
          ...{ number, title, body: null, state: 'open', user: { login: 'octocat' }, ...dated(createdAt) },
          head: { ref: 'x'.repeat(300), sha, user: { login: 'octocat' }, repo: { full_name: 'octo/things' } },
          base: { ref: 'main', sha, user: null, repo: null },
        }),
      },
    ],
  },
  {
    kind: 'bitbucket',
    start: () => startFakeForgebCloud(),
    repository: 'octo/things',
    token: 'octocat:app-password',
    evil: { full_name: 'octo/..', description: '', is_private: true },
    lists: [
      {
        ...{ name: 'issues', path: /\/issues/, send: sendNext },
        item: (id, { title = `Number ${id}`, createdAt = at } = {}) => ({
          ...{ id, title, content: { raw: '' }, state: 'new', kind: 'bug', reporter: { nickname: 'octocat' } },
          ...{ assignee: null, milestone: null, created_on: createdAt, updated_on: at },
        }),
      },
      {
        ...{ name: 'pulls', path: /\/pullrequests/, send: sendNext },
        item: (id, { title = `Number ${id}`, createdAt = at } = {}) => ({
          ...{ id, title, description: '', state: 'OPEN', source: end, destination: end, author: null },
          ...{ created_on: createdAt, updated_on: at },
        }),
      },
    ],
  },
  {
    kind: 'bitbucket_server',
    start: () => startFakeForgebServer(),
    repository: 'OCTO/things',
    token: 'octocat:server-token',
    evil: { slug: '..', project: { key: 'OCTO' }, public: false },
    lists: [
      {
        ...{ name: 'pulls', path: /\/pull-requests/, send: sendStart },
        item: (id, { title = `Number ${id}`, createdAt = at } = {}) => ({
          ...{ id, title, state: 'OPEN', updatedDate: Date.parse(at), author: { user: { slug: 'octocat' } } },
          createdDate: createdAt.startsWith('0') ? -1 : createdAt.startsWith('9') ? 1e17 : Date.parse(createdAt),
          fromRef: { displayId: 'x'.repeat(300), latestCommit: sha },
          toRef: { displayId: 'main', latestCommit: sha },
        }),
      },
    ],
  },
];

const [, cloudKind, serverKind] = kinds as readonly [Kind, Kind, Kind];

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

  it('has an empty list of what it has none of', async () => {
    const { forge } = await opened(given);
    const found = await forge.repository(repository);
    for (const list of ['collaborators', 'milestones', 'events', 'releases'] as const)
      expect([list, await forge[list](found, 1, 10)]).toMatchObject([list, { fetched: 0, items: [], isLast: true }]);
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

const lists = kinds.flatMap((kind) => kind.lists.map((list) => ({ ...kind, ...list })));

describe.each(lists)('$name of $kind', (given) => {
  const { name, path, item: issue, send } = given;

  /** Where a list goes on; undefined at its end. */
  const nextOf = ({ isLast, next }: ForgePage<unknown>, page: number): number | undefined =>
    isLast ? undefined : (next ?? page + 1);

  const list = async (answer: (response: ServerResponse, server: ForgeServer) => void, size = 10) => {
    const { server, forge } = await opened(given);
    const found: ForgeRepository = await forge.repository(given.repository);
    server.breakNext(path, (_request, response) => answer(response, server));
    return forge[name](found, 1, size);
  };

  it('come page by page, each item once', async () => {
    const { server, forge } = await opened(given);
    const { contents } = server as ForgeServer & { contents: { lists: Record<string, object[]> } };
    const key = {
      issues: 'issues',
      pulls: { github: 'pulls', bitbucket: 'pullrequests', bitbucket_server: 'pull-requests' }[given.kind],
    }[name];
    contents.lists[key] = Array.from({ length: 25 }, (_, index) => issue(index + 1));
    const found = await forge.repository(given.repository);
    const pages: { readonly iid: number }[][] = [];
    for (let page: number | undefined = 1; page !== undefined; ) {
      const some: ForgePage<{ readonly iid: number }> = await forge[name](found, page, 10);
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
  const { server, forge } = await opened(cloudKind);
  const { contents } = server as Awaited<ReturnType<typeof startFakeForgebCloud>>;
  const issue = (cloudKind.lists[0] as List).item;
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

/** Everything of a list whose pages name the next one. */
async function all<T>(read: (page: number) => Promise<ForgePage<T>>): Promise<T[]> {
  const found: T[] = [];
  for (let page: number | undefined = 1; page !== undefined; ) {
    const some: ForgePage<T> = await read(page);
    found.push(...some.items);
    page = some.isLast ? undefined : (some.next ?? page + 1);
  }
  return found;
}

it('pull requests of a server come with comments, threads at their lines, and decisions', async () => {
  const { server, forge } = await opened(serverKind);
  const { contents } = server as Awaited<ReturnType<typeof startFakeForgebServer>>;
  const pull = (serverKind.lists[0] as List).item;
  const moment = Date.parse(at);
  const comment = (id: number, more: object = {}) => ({
    ...{ id, text: `Comment ${id}`, author: { slug: 'hubot' }, createdDate: moment, updatedDate: moment, ...more },
  });
  const commented = (given: object, commentAnchor?: object) => ({
    ...{ id: 1, action: 'COMMENTED', commentAction: 'ADDED', comment: given },
    ...(commentAnchor === undefined ? {} : { commentAnchor }),
  });
  const anchor = { path: 'a.txt', line: 3, lineType: 'REMOVED', fileType: 'FROM', toHash: sha };
  const merged = {
    ...{ state: 'MERGED', closedDate: moment, properties: { mergeCommit: { id: sha } }, draft: true },
  };
  const acted = (id: number, action: string, slug: string, more: object = {}) => ({
    ...{ id, action, user: { slug }, createdDate: moment + id, ...more },
  });
  contents.lists['pull-requests'] = [pull(1), { ...pull(7), ...merged }];
  contents.lists['pull-requests/7/activities'] = [
    acted(99, 'MERGED', 'ada'),
    acted(98, 'REOPENED', 'ada'),
    acted(97, 'DECLINED', 'grace'),
    acted(96, 'UNAPPROVED', 'linus'),
    acted(95, 'REVIEWED', 'grace'),
    acted(94, 'APPROVED', 'ada'),
    acted(93, 'UPDATED', 'ada', { addedReviewers: [{ slug: 'grace' }], removedReviewers: [{ slug: 'linus' }] }),
    acted(92, 'OPENED', 'ada'),
    { id: 'x', action: 'MERGED' },
    ...Array.from({ length: 30 }, (_, index) => commented(comment(100 + index))),
    commented(comment(11, { comments: [comment(12, { comments: [comment(13)] }), comment(14)] }), anchor),
    commented(comment(15, { text: ' ' })),
    commented({ id: 'x' }, anchor),
  ];
  const found = await forge.repository('OCTO/things');
  expect(await all((page) => forge.pulls(found, page, 1))).toMatchObject([
    { iid: 1, state: 'opened', author: 'octocat', sourceBranch: `bitbucket_server/fork/ghost/${'x'.repeat(300)}` },
    { iid: 7, state: 'merged', mergedAt: new Date(at), mergeCommitSha: sha, draft: true, headSha: sha },
  ]);
  const notes = await all((page) => forge.issueNotes(found, page, 100));
  expect(notes.map(({ foreignId }) => foreignId)).toEqual(Array.from({ length: 30 }, (_, index) => 100 + index));
  expect(notes[0]).toMatchObject({ on: 'pull', iid: 7, author: 'hubot', body: 'Comment 100' });
  const threads = await all((page) => forge.pullNotes(found, page, 100));
  expect(threads.map(({ foreignId, threadId }) => [foreignId, threadId])).toEqual([
    ...[11, 12, 14, 13].map((id) => [id, 11]),
  ]);
  expect(threads[0]).toMatchObject({ pullIid: 7, path: 'a.txt', line: 3, oldSide: true, commitSha: sha });
  expect((await forge.reviews(found, 7, 1, 100)).items).toMatchObject([
    { author: 'linus', state: 'unapproved', submittedAt: new Date(moment + 96) },
    { author: 'grace', state: 'requested_changes' },
    { author: 'ada', state: 'approved' },
  ]);
  const events = await all((page) => forge.events(found, page, 100));
  expect(events.map(({ kind, actor, person }) => [kind, actor, person])).toEqual([
    ['merged', 'ada', ''],
    ['reopened', 'ada', ''],
    ['closed', 'grace', ''],
    ['review_requested', 'ada', 'grace'],
    ['review_request_removed', 'ada', 'linus'],
  ]);
  expect(events[0]).toMatchObject({ on: 'pull', iid: 7, createdAt: new Date(moment + 99) });
  contents.lists['pull-requests/7/activities'] = Array.from({ length: 130 }, (_, id) =>
    acted(id + 1, 'APPROVED', 'ada'),
  );
  const first = await forge.reviews(found, 7, 1, 10);
  const pages = [first, await forge.reviews(found, 7, first.next ?? 0, 10)];
  expect(pages.map(({ fetched, isLast, next }) => [fetched, isLast, next])).toEqual([
    [100, false, 101],
    [30, true, undefined],
  ]);
  // It may leave places out that hold nothing.
  Object.assign(server, { skipped: 7 });
  const skipping = await forge.reviews(found, 7, 1, 10);
  expect(skipping).toMatchObject({ isLast: false, next: 129 });
});

it('what was done to issues and pull requests of the cloud is read of each of them', async () => {
  const { server, forge } = await opened(cloudKind);
  const { contents } = server as Awaited<ReturnType<typeof startFakeForgebCloud>>;
  const [issue, pull] = cloudKind.lists.map(({ item }) => item) as [List['item'], List['item']];
  const user = { nickname: 'ada' };
  const changed = (id: number, changes: object) => ({ id, user, created_on: at, changes });
  const updated = (state: string, changes: object) => ({ update: { state, date: at, author: user, changes } });
  contents.lists.issues = [issue(2), issue(3)];
  contents.lists['issues/2/changes'] = [
    changed(1, { state: { old: 'new', new: 'open' } }),
    changed(2, { state: { old: 'open', new: 'resolved' }, title: { old: 'a', new: 'b' } }),
    changed(3, { state: { old: 'resolved', new: 'open' }, kind: { old: 'bug', new: 'task' } }),
    changed(4, { milestone: { old: 'v1', new: 'v2' }, kind: 7 }),
    { id: 5 },
  ];
  contents.lists.pullrequests = [pull(2), pull(4)];
  const list = 'pullrequests/4/activity';
  contents.lists[list] = [
    updated('MERGED', { status: { old: 'open', new: 'fulfilled' } }),
    { approval: { date: at, user } },
    updated('MERGED', { title: { old: 'a', new: 'c' } }),
    updated('OPEN', {}),
  ];
  const found = await forge.repository('octo/things');
  const events = await all((page) => forge.events(found, page, 2));
  expect(
    events.map(({ on, iid, kind, label, milestone, title }) => [on, iid, kind, label || milestone || title]),
  ).toEqual([
    ['issue', 2, 'closed', ''],
    ['issue', 2, 'renamed', 'b'],
    ['issue', 2, 'reopened', ''],
    ['issue', 2, 'unlabeled', 'bug'],
    ['issue', 2, 'labeled', 'task'],
    ['issue', 2, 'demilestoned', 'v1'],
    ['issue', 2, 'milestoned', 'v2'],
    ['pull', 4, 'merged', ''],
    ['pull', 4, 'renamed', 'c'],
  ]);
  expect(events[0]).toMatchObject({ actor: 'ada', createdAt: new Date(at) });
  expect(new Set(events.map(({ on, iid, key }) => `${on} ${iid} ${key}`)).size).toBe(events.length);
  // Pages of activities are named by a mark.
  const marked = (mark: string) => `${server.url}/2.0/repositories/octo/things/${list}?ctx=${mark}`;
  const values = contents.lists[list] ?? [];
  server.breakNext(/activity/, (_request, response) => json(response, { values: [], next: marked('a') }));
  server.breakNext(/4.activity/, (_request, response) =>
    json(response, { values: values.slice(0, 1), next: marked('a') }),
  );
  server.breakNext(/4.activity.*ctx=a/, (_request, response) => json(response, { values }));
  expect((await all((page) => forge.events(found, page, 2))).filter(({ on }) => on === 'pull')).toHaveLength(3);
  for (let asked = 0; asked < 3; asked += 1)
    server.breakNext(/4.activity/, (_request, response) => json(response, { values, next: marked('a') }));
  await expect(all((page) => forge.events(found, page, 2))).rejects.toMatchObject({ kind: 'refused' });
  // So many are read; what lies behind them is named.
  for (let asked = 0; asked < 40; asked += 1)
    server.breakNext(/4.activity/, (_request, response) =>
      json(response, { values: values.slice(0, 1), next: marked(`page-${asked}`) }),
    );
  const cut: string[] = [];
  let read = await forge.events(found, 1, 2);
  while (!read.isLast) {
    cut.push(...(read.cut ?? []));
    read = await forge.events(found, read.next ?? 0, 2);
  }
  expect(cut).toEqual(['#4']);
});

it('pull requests of the cloud come with comments, threads at their lines, and decisions', async () => {
  const { server, forge } = await opened(cloudKind);
  const { contents } = server as Awaited<ReturnType<typeof startFakeForgebCloud>>;
  const [issue, pull] = cloudKind.lists.map(({ item }) => item) as [List['item'], List['item']];
  const comment = (id: number, more: object = {}) => ({
    ...{ id, content: { raw: `Comment ${id}` }, user: { nickname: 'hubot' }, created_on: at, updated_on: at, ...more },
  });
  const participants = [
    { user: { nickname: 'ada' }, state: 'approved', participated_on: at },
    { user: { nickname: 'grace' }, state: 'changes_requested' },
    { user: { nickname: 'linus' }, state: null },
  ];
  contents.lists.issues = [issue(2)];
  contents.lists['issues/2/comments'] = [comment(5)];
  contents.lists.pullrequests = [{ ...pull(2), state: 'SUPERSEDED' }, pull(3)];
  contents.lists['pullrequests/2/comments'] = [
    ...[comment(5), comment(6, { inline: { path: 'a.txt', from: null, to: 4 } })],
    ...[comment(7, { inline: { path: 'a.txt', from: null, to: 4 }, parent: { id: 6 } }), comment(8, { deleted: true })],
    comment(9, { inline: { path: 'b.txt', from: 2, to: null } }),
    comment(10, { inline: { path: 'a.txt', from: null, to: 4 }, parent: { id: 7 } }),
  ];
  contents.objects['pullrequests/2'] = { ...pull(2), participants };
  const found = await forge.repository('octo/things');
  expect(await all((page) => forge.pulls(found, page, 100))).toMatchObject([
    { iid: 2, state: 'closed', closedAt: new Date(at), headSha: 'a'.repeat(12) },
    { iid: 3, state: 'opened', targetBranch: 'x'.repeat(300) },
  ]);
  const notes = await all((page) => forge.issueNotes(found, page, 100));
  expect(notes.map(({ on, iid, foreignId }) => [on, iid, foreignId])).toEqual([
    ['issue', 2, 5],
    ['pull', 2, -5],
  ]);
  expect(await all((page) => forge.pullNotes(found, page, 100))).toMatchObject([
    { foreignId: 6, threadId: 6, path: 'a.txt', line: 4, oldSide: false },
    { foreignId: 7, threadId: 6 },
    { foreignId: 9, threadId: 9, path: 'b.txt', line: 2, oldSide: true },
    { foreignId: 10, threadId: 6 },
  ]);
  expect((await forge.reviews(found, 2, 1, 100)).items).toMatchObject([
    { author: 'ada', state: 'approved' },
    { author: 'grace', state: 'requested_changes' },
  ]);
});

it('an address holds no credentials, query or fragment, and is read at once however long it is', () => {
  const problemOf = (host: string) =>
    kinds.flatMap(({ kind: forge }) => forgesBy(outbound, undefined).problemOf({ forge, host }) ?? []).length;
  expect(problemOf('forge.example/base/')).toBe(0);
  for (const rest of ['user:secret@forge.example', 'secret@forge.example', 'forge.example/?a=b', 'forge.example/#a'])
    expect([rest, problemOf(`https://${rest}`)]).toEqual([rest, 2]);
  const begun = performance.now();
  expect(problemOf(`https://forge.example${'/'.repeat(1_000_000)}a`)).toBe(2);
  // A place of an import that was begun with it.
  forgesBy(outbound, undefined).open({ forge: 'github', host: `${'/'.repeat(100_000)}a` }, 'token');
  expect(performance.now() - begun).toBeLessThan(2_000);
});

it.each([
  [410, true, {}],
  [404, false, {}],
  // A token that may read the repository alone.
  [404, true, { hidden: 'The forge answered 404' }],
])('what a repository of forgea has switched off is empty (%s, has_issues %s)', async (status, has_issues, more) => {
  const { server, forge } = await opened(kinds[0] as Kind);
  Object.assign((server as Awaited<ReturnType<typeof startFakeForge>>).contents.repository, { has_issues });
  const found = await forge.repository('1');
  const off = () => server.breakNext(/things\/issues/, (_, response) => response.writeHead(status).end('{}'));
  off();
  expect(await forge.issues(found, 1, 10)).toEqual({ fetched: 0, items: [], isLast: true, ...more });
  off();
  // One that goes on would be taken for whole.
  await expect(forge.issues(found, 2, 10)).rejects.toMatchObject({ kind: 'not_found' });
  off();
  server.breakNext(/repos\/octo\/things$/, (_, response) => response.writeHead(404).end('{}'));
  await expect(forge.issues(found, 1, 10)).rejects.toMatchObject({ kind: 'not_found' });
});

it.each<[kind: Kind['kind'], wiki: string | undefined]>([
  ['github', '/octo/things.wiki.git'],
  ['bitbucket', '/octo/things.git/wiki'],
  ['bitbucket_server', undefined],
])('a repository of %s that has a wiki says where it is', async (kind, wiki) => {
  const given = kinds.find((one) => one.kind === kind) as Kind;
  const { server, forge } = await opened(given);
  expect((await forge.repository(given.repository)).wikiUrl).toBeUndefined();
  const { repository } = (server as Awaited<ReturnType<typeof startFakeForge>>).contents;
  Object.assign(repository, { has_wiki: true });
  expect((await forge.repository(given.repository)).wikiUrl).toBe(wiki && `${server.url}${wiki}`);
});

it('the highest numbers are those of the newest items, and 0 of what is switched off or hidden', async () => {
  const numbered = ({ lists: [list] }: Kind, count: number) =>
    Array.from({ length: count }, (_, index) => list?.item(index + 1) ?? {});
  for (const [given, lists, both, withoutFirst] of [
    // Forgea counts them together.
    [kinds[0] as Kind, { issues: 150, pulls: 7 }, { issues: 150, pulls: 150 }, { issues: 7, pulls: 7 }],
    [cloudKind, { issues: 3, pullrequests: 60 }, { issues: 3, pulls: 60 }, { issues: 0, pulls: 60 }],
    [serverKind, { 'pull-requests': 60 }, { issues: 0, pulls: 60 }, { issues: 0, pulls: 0 }],
  ] as const) {
    const { server, forge } = await opened(given);
    const { contents } = server as unknown as { contents: { lists: Record<string, readonly object[]> } };
    const found = await forge.repository(given.repository);
    const none = Object.values(await forge.highestNumbers(found));
    for (const [name, count] of Object.entries(lists)) contents.lists[name] = numbered(given, count);
    expect([none, await forge.highestNumbers(found)]).toEqual([[0, 0], both]);
    for (const status of [403, 404, 410]) {
      server.breakNext(/things\/(issues|pull-requests)/, (_, response) => response.writeHead(status).end('{}'));
      expect(await forge.highestNumbers(found)).toEqual(withoutFirst);
    }
    server.breakNext(any, (_, response) => response.writeHead(503).end('{}'));
    await expect(forge.highestNumbers(found)).rejects.toMatchObject({ kind: 'later' });
  }
});

it('a list that forgea does not number to its end goes on by the cursor that it names', async () => {
  const { server, forge } = await opened(kinds[0] as Kind);
  const { contents } = server as Awaited<ReturnType<typeof startFakeForge>>;
  const issue = kinds[0]?.lists[0]?.item as List['item'];
  contents.lists.issues = Array.from({ length: 101 }, (_, index) => issue(index + 1));
  const found = await forge.repository('1');
  let last: Awaited<ReturnType<typeof forge.issues>> | undefined;
  for (let page = 1; last?.isLast !== true; page += 1) last = await forge.issues(found, page, 1, last?.cursor);
  expect(last.items.map(({ iid }) => iid)).toEqual([101]);
  for (const cursor of ['', 'a%00b', 'a'.repeat(2_000)]) {
    server.breakNext(/issues/, (_request, response) =>
      json(response, [issue(1)], { Link: `<${server.url}/issues?page=2&after=${cursor}>; rel="next"` }),
    );
    expect(await forge.issues(found, 1, 1)).not.toHaveProperty('cursor');
  }
});

it.each(['issueNotes', 'pullNotes'] as const)(
  '%s behind those that forgea numbers are found by when they changed',
  async (list) => {
    const { server, forge } = await opened(kinds[0] as Kind);
    const { contents } = server as Awaited<ReturnType<typeof startFakeForge>>;
    const second = (at: number) => new Date(Date.UTC(2020, 0, 1) + at * 1_000).toISOString();
    const comment = (id: number) => ({
      ...{ id, body: 'x', user: null, path: 'a.txt', original_commit_id: sha, original_line: 1, diff_hunk: '' },
      ...{ issue_url: 'https://forge.example/issues/1', pull_request_url: 'https://forge.example/pulls/1' },
      // Three in each second; every tenth was changed after all were written.
      ...{
        created_at: second(Math.floor(id / 3)),
        updated_at: second(id % 10 === 0 ? 10_000 + id : Math.floor(id / 3)),
      },
    });
    contents.lists[list === 'issueNotes' ? 'issues/comments' : 'pulls/comments'] = Array.from(
      { length: 640 },
      (_, index) => comment(index + 1),
    );
    const found = await forge.repository('1');
    const ids: number[] = [];
    let [fetched, cursors] = [0, 0];
    let last: ForgePage<{ readonly foreignId: number }> | undefined;
    for (let page = 1; last?.isLast !== true; page += 1) {
      const cursor = last?.cursor;
      last = await forge[list](found, page, 2, cursor);
      if (last.cursor !== undefined) cursors += 1;
      expect(last.cursor === undefined || last.cursor !== cursor).toBe(true);
      ids.push(...last.items.map(({ foreignId }) => foreignId));
      fetched += last.fetched;
    }
    expect(cursors).toBeGreaterThan(20);
    expect(ids.slice(0, 600)).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 640 }, (_, index) => index + 1));
    expect(fetched).toBe(640);
  },
);

describe('events behind those that forgea numbers are found by their issues', () => {
  const [old, issues] = [30, 50];
  const second = (at: number) => new Date(Date.UTC(2020, 0, 1) + at * 1_000).toISOString();
  const pull = (iid: number) => (iid % 5 === 0 ? { pull_request: {} } : {});

  /** A forge with 1,000 events, two in a second; issue 1 has 90 of the oldest ones, and the last issues have newer ones alone. */
  async function withEvents() {
    const { server, forge } = await opened(kinds[0] as Kind);
    const { lists } = (server as Awaited<ReturnType<typeof startFakeForge>>).contents;
    const item = kinds[0]?.lists[0]?.item as List['item'];
    lists.issues = Array.from({ length: issues }, (_, index) => ({
      ...item(index + 1, { createdAt: second(index < old ? 0 : 300) }),
      ...pull(index + 1),
    }));
    lists['issues/events'] = Array.from({ length: 1_000 }, (_, index) => {
      const number = index < 90 ? 1 : 1 + (index % (index < 600 ? old : issues));
      const of = { event: 'closed', actor: { login: 'octocat' }, issue: { number, ...pull(number) } };
      return { id: index + 1, ...of, created_at: second(Math.floor(index / 2)) };
    }).toReversed();
    return { server, forge, found: await forge.repository('1') };
  }

  /** The pages of the list from one on, which is the last but one that is numbered; each by the cursor of the one before. */
  async function read({ forge, found }: Awaited<ReturnType<typeof withEvents>>, since?: Date, first = 299) {
    const pages: Awaited<ReturnType<typeof forge.events>>[] = [];
    for (let page = first; pages.at(-1)?.isLast !== true; page += 1) {
      const cursor = pages.at(-1)?.cursor;
      const next = await forge.events(found, page, 2, cursor, since);
      expect(next.cursor === undefined || next.cursor !== cursor).toBe(true);
      expect(next.items.length).toBeLessThan(4);
      pages.push(next);
    }
    const events = pages.flatMap(({ items }) => items);
    return { pages, events, ids: events.map(({ key }) => Number(key)).sort((a, b) => a - b) };
  }

  const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

  it.each(['refuses what is behind them', 'names no page behind them'])('where it %s', async (way) => {
    const given = await withEvents();
    const { server } = given;
    if (way.startsWith('names'))
      server.breakNext(/issues\/events\?page=300/, (_, response) =>
        json(
          response,
          (server as Awaited<ReturnType<typeof startFakeForge>>).contents.lists['issues/events']?.slice(598, 600),
        ),
      );
    const { pages, events, ids } = await read(given);
    expect(ids).toEqual(upTo(404));
    expect(pages.reduce((sum, { fetched }) => sum + fetched, 0)).toBe(404);
    expect(pages.flatMap(({ unread = [], failed = [] }) => [...unread, ...failed])).toEqual([]);
    expect(events.filter(({ iid }) => iid === 1).length).toBeGreaterThanOrEqual(90);
    for (const { iid, on } of events) expect(on).toBe(iid % 5 === 0 ? 'pull' : 'issue');
    const urls = server.requests.map(({ url }) => url);
    expect(urls.filter((url) => /issues\/events\?page=301/.test(url))).toEqual([]);
    // What was made after the limit has no events behind it.
    expect(urls.filter((url) => /issues\/(3[1-9]|4\d|50)\/events/.test(url))).toEqual([]);
  });

  it('since a date, and without an issue that is gone, which is named', async () => {
    const given = await withEvents();
    given.server.breakNext(/issues\/25\/events/, (_, response) => response.writeHead(404).end('{}'));
    const { pages, ids } = await read(given, new Date(second(100)));
    expect(pages.flatMap(({ failed = [] }) => failed)).toEqual([{ item: '#25', reason: 'The forge answered 404' }]);
    // Events of seconds 100 to 199 are behind the limit.
    const gone = (id: number) => id <= 400 && 1 + ((id - 1) % old) === 25;
    expect(ids).toEqual(upTo(404, 201).filter((id) => !gone(id)));
    const asked = given.server.requests.length;
    expect(await read(given, new Date(second(500)), 1)).toMatchObject({ ids: [] });
    expect(given.server.requests.length - asked).toBe(1);
  });
});

it('a list of the cloud forge that is away midway is no end of it, and a deleted issue leaves out no other one', async () => {
  const { server, forge } = await opened(cloudKind);
  const { contents } = server as Awaited<ReturnType<typeof startFakeForgebCloud>>;
  const issue = cloudKind.lists[0]?.item as List['item'];
  contents.lists.issues = Array.from({ length: 6 }, (_, index) => issue(index + 1));
  contents.lists.milestones = Array.from({ length: 3 }, (_, index) => ({ id: index + 1, name: `v${index}` }));
  const found = await forge.repository('octo/things');
  const { next = 0 } = await forge.issues(found, 1, 2);
  contents.lists.issues.shift();
  expect((await forge.issues(found, next, 2)).items.map(({ iid }) => iid)).toEqual([3, 4]);
  Object.assign(contents.lists, { issues: undefined, milestones: undefined });
  const gone = { kind: 'not_found' };
  await expect(forge.issues(found, next, 2)).rejects.toMatchObject(gone);
  await expect(forge.issueNotes(found, 3_000, 2)).rejects.toMatchObject(gone);
  await expect(forge.milestones(found, 2, 2)).rejects.toMatchObject(gone);
  for (const list of ['issues', 'issueNotes', 'milestones'] as const)
    expect(await forge[list](found, 1, 2)).toEqual({ fetched: 0, items: [], isLast: true });
  Object.assign(contents.lists, { pullrequests: undefined });
  for (const list of ['pulls', 'pullNotes'] as const)
    await expect(forge[list](found, 1, 2)).rejects.toMatchObject(gone);
});
