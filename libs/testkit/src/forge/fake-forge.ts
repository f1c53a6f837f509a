import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basic, type ForgeFile, type ForgeServer, sendFile, sendJson, startForgeServer } from './forge-server';
import { gitBackend } from './git-backend';

/** What a forge has; lists are in the form in which its REST API sends them. */
export interface ForgeContents {
  /** The repository, whose id is 1 and whose name is `octo/things`. */
  readonly repository: Record<string, unknown>;
  /** By the rest of the path, such as `labels` or `pulls/7/reviews`. */
  readonly lists: Record<string, object[]>;
  /** By login. */
  readonly users: Record<string, object>;
  /** Gists of the owner of the token, as one is sent by its id; the list leaves out the contents of their files. */
  gists: { readonly id: string; readonly files: Record<string, object> }[];
  /** Texts below `/raw/`, which need no token. */
  readonly raw: Record<string, string>;
  /** Files of texts by their paths, such as `user-attachments/assets/1`, for who has the token. */
  readonly files: Record<string, ForgeFile>;
}

/** A forge that unmodified clients take for one: forgea's REST API below `/api/v3`, and git. */
export interface FakeForge extends ForgeServer {
  /** The token that it takes; another one answers 401. */
  token: string;
  readonly contents: ForgeContents;
}

const tagOf = (body: unknown): string => `W/"${createHash('sha256').update(JSON.stringify(body)).digest('hex')}"`;

const withoutContents = (gist: ForgeContents['gists'][number]): object => ({
  ...gist,
  files: Object.fromEntries(
    Object.entries(gist.files).map(([name, file]) => [name, { ...file, content: undefined, truncated: undefined }]),
  ),
});

/** From this page on issues are listed by the cursor of a link alone. */
const maxPage = 100;

/** The last page of comments, and of events, that is given. */
const maxLimitedPage = 300;

/**
 * Starts a forge on a port of this machine.
 * @param repositories folder with `octo/things.git`; undefined: git gets 404
 */
export async function startFakeForge(given: Partial<ForgeContents> = {}, repositories?: string): Promise<FakeForge> {
  const git = repositories === undefined ? undefined : gitBackend(repositories);
  let remaining = 5_000;

  const rateHeaders = (): Record<string, string> => ({
    'X-RateLimit-Limit': '5000',
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(Math.ceil(Date.now() / 1_000) + 3_600),
  });

  /** By number, or by the cursor that a link has beside it. */
  function page(url: URL, list: readonly object[]): { items: readonly object[]; link: string | undefined } {
    const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 30));
    const at = Number(url.searchParams.get('after')?.slice('page '.length) ?? url.searchParams.get('page') ?? 1);
    const last = Math.max(1, Math.ceil(list.length / size));
    const to = (number: number, rel: string): string => {
      const next = new URL(url);
      next.searchParams.set('page', String(number));
      if (/\/issues$/.test(url.pathname)) next.searchParams.set('after', `page=${number}`);
      return `<${next.href}>; rel="${rel}"`;
    };
    const links = at < last ? [to(at + 1, 'next'), to(last, 'last')] : [];
    return { items: list.slice((at - 1) * size, at * size), link: links.length === 0 ? undefined : links.join(', ') };
  }

  function answer(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const rawName = /^\/raw\/(.+)$/.exec(url.pathname)?.[1];
    if (rawName !== undefined) {
      const text = forge.contents.raw[rawName];
      response.writeHead(text === undefined ? 404 : 200, { 'Content-Type': 'text/plain' }).end(text);
      return;
    }
    const file = forge.contents.files[url.pathname.slice(1)];
    if (file !== undefined) {
      sendFile(response, request.headers.authorization === `Bearer ${forge.token}` ? file : undefined);
      return;
    }
    if (!url.pathname.startsWith('/api/v3/')) {
      const expected = basic('x-access-token', forge.token);
      if (git === undefined || request.headers.authorization !== expected) response.writeHead(404).end();
      else git(request, response);
      return;
    }
    const isAllowed = request.headers.authorization === `token ${forge.token}`;
    if (isAllowed) remaining -= 1;
    const path = url.pathname.slice('/api/v3'.length);
    const name = /^\/repos\/octo\/things\/([a-z0-9/]+)$/.exec(path)?.[1] ?? '';
    const gist = forge.contents.gists.find(({ id }) => path === `/gists/${id}`);
    const list = path === '/gists' ? forge.contents.gists.map(withoutContents) : listOf(name);
    const user = forge.contents.users[/^\/users\/([\w-]+)$/.exec(path)?.[1] ?? ''];
    if (!isAllowed) sendJson(response, 401, { message: 'Bad credentials' }, rateHeaders());
    else if (path === '/repositories/1' || path === '/repos/octo/things')
      sendJson(response, 200, forge.contents.repository, rateHeaders());
    else if (user !== undefined) sendJson(response, 200, user, rateHeaders());
    else if (gist !== undefined) sendJson(response, 200, gist, rateHeaders());
    else if (list === undefined) sendJson(response, 404, { message: 'Not Found' }, rateHeaders());
    else if (name === 'issues' && Number(url.searchParams.get('page')) >= maxPage)
      sendJson(response, 422, { message: 'Pagination with the page parameter is not supported' }, rateHeaders());
    else if (/(comments|^issues\/events)$/.test(name) && Number(url.searchParams.get('page')) > maxLimitedPage)
      sendJson(response, 422, { message: 'Pagination is limited for this resource' }, rateHeaders());
    else sendPage(request, response, url, changedOf(url, list));
  }

  /** What of a list was changed since then, in the order of changes, where both are asked for. */
  function changedOf({ searchParams }: URL, list: readonly object[]): readonly object[] {
    const changedAt = (one: object): number => Date.parse((one as { updated_at?: string }).updated_at ?? '');
    const since = Date.parse(searchParams.get('since') ?? '');
    const kept = Number.isNaN(since) ? list : list.filter((one) => changedAt(one) >= since);
    const sign = searchParams.get('direction') === 'desc' ? -1 : 1;
    if (searchParams.get('sort') === 'updated')
      return kept
        .map((one) => ({ one, at: changedAt(one) }))
        .sort((a, b) => sign * (a.at - b.at))
        .map(({ one }) => one);
    // As they were made: the oldest are given first.
    return searchParams.get('sort') === 'created' && sign < 0 ? kept.toReversed() : kept;
  }

  /** Events of one issue, the oldest first, without the issue; those of the repository begin with the newest. */
  const eventsOf = (issue: number): readonly object[] =>
    (forge.contents.lists['issues/events'] ?? [])
      .filter((one) => (one as { issue?: { number?: number } }).issue?.number === issue)
      .map((one) => ({ ...one, issue: undefined }))
      .toReversed();

  /** A list of the repository; pull requests without reviews have an empty one. */
  function listOf(name: string): readonly object[] | undefined {
    const [, issue] = /^issues\/(\d+)\/events$/.exec(name) ?? [];
    if (issue !== undefined) return eventsOf(Number(issue));
    return forge.contents.lists[name] ?? (/^pulls\/\d+\/reviews$/.test(name) ? [] : undefined);
  }

  function sendPage(request: IncomingMessage, response: ServerResponse, url: URL, list: readonly object[]): void {
    const { items, link } = page(url, list);
    const headers = { ...rateHeaders(), ETag: tagOf(items), ...(link === undefined ? {} : { Link: link }) };
    const isKnown = request.headers['if-none-match'] === headers.ETag;
    sendJson(response, isKnown ? 304 : 200, items, headers);
  }

  const forge: FakeForge = {
    ...(await startForgeServer(answer)),
    token: 'forge-token',
    contents: {
      repository: {
        id: 1,
        name: 'things',
        full_name: 'octo/things',
        description: 'Things',
        private: true,
        default_branch: 'main',
        ...given.repository,
      },
      lists: {
        ...{ labels: [], milestones: [], issues: [], 'issues/comments': [], 'issues/events': [] },
        ...{ pulls: [], 'pulls/comments': [], releases: [], collaborators: [] },
        ...given.lists,
      },
      users: { ...given.users },
      gists: given.gists ?? [],
      raw: given.raw ?? {},
      files: given.files ?? {},
    },
  };
  return forge;
}
