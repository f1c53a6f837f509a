import type { IncomingMessage, ServerResponse } from 'node:http';
import { basic, type ForgeFile, type ForgeServer, sendFile, sendJson, startForgeServer } from './forge-server';
import { gitBackend } from './git-backend';

/** What a cloud forge has; lists are in the form in which its REST API sends them. */
export interface ForgebCloudContents {
  /** The repository, whose path is `octo/things`. */
  readonly repository: Record<string, unknown>;
  /** By their path below the repository, such as `issues` and `issues/7/comments`. */
  readonly lists: Record<string, object[]>;
  /** What is alone at its path below the repository, such as one pull request. */
  readonly objects: Record<string, object>;
  /** By id of their account. */
  readonly users: Record<string, object>;
  /** Files of texts by their paths, such as `repo/a1/images/1-shot.png`. */
  readonly files: Record<string, ForgeFile>;
}

/** The cloud forge of the family of forgeb: its REST API below `/2.0`, with pages and their `next`, and git. */
export interface FakeForgebCloud extends ForgeServer {
  /** Who may ask; others get 401. */
  username: string;
  password: string;
  readonly contents: ForgebCloudContents;
}

/** The value of a field of an item by its path, such as `source.branch.name`. */
const fieldOf = (item: object, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], item);

/**
 * Starts a cloud forge on a port of this machine.
 * @param repositories folder with `octo/things.git`; undefined: git gets 404
 */
export async function startFakeForgebCloud(
  given: Partial<ForgebCloudContents> = {},
  repositories?: string,
): Promise<FakeForgebCloud> {
  const git = repositories === undefined ? undefined : gitBackend(repositories);

  /** A page in the order of `sort`, of those that `q=id > N` lets through. */
  function sendPage(response: ServerResponse, url: URL, list: readonly object[]): void {
    const size = Math.min(100, Number(url.searchParams.get('pagelen') ?? 10));
    const page = Number(url.searchParams.get('page') ?? 1);
    const after = /^id > (\d+)$/.exec(url.searchParams.get('q') ?? '')?.[1];
    const sort = url.searchParams.get('sort');
    const kept = list.filter((one) => after === undefined || Number(fieldOf(one, 'id')) > Number(after));
    const field = sort?.replace(/^-/, '') ?? '';
    const sign = sort?.startsWith('-') ? -1 : 1;
    const sorted =
      sort === null ? kept : kept.toSorted((a, b) => sign * (Number(fieldOf(a, field)) - Number(fieldOf(b, field))));
    const next = new URL(url);
    next.searchParams.set('page', String(page + 1));
    sendJson(response, 200, {
      ...{ pagelen: size, page, size: kept.length, values: sorted.slice((page - 1) * size, page * size) },
      ...(page * size < kept.length ? { next: next.href } : {}),
    });
  }

  function answer(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const { username, password, contents } = forge;
    const { authorization } = request.headers;
    const file = contents.files[url.pathname.slice(1)];
    if (file !== undefined) {
      sendFile(response, authorization === basic(username, password) ? file : undefined);
      return;
    }
    if (!url.pathname.startsWith('/2.0/')) {
      const expected = basic(username.includes('@') ? 'x-bitbucket-api-token-auth' : username, password);
      if (git === undefined || authorization !== expected) response.writeHead(404).end();
      else git(request, response);
      return;
    }
    const path = /^\/2\.0\/repositories\/octo\/things(?:\/(.+))?$/.exec(url.pathname);
    const list = contents.lists[path?.[1] ?? ''];
    const object = contents.objects[path?.[1] ?? ''];
    const user = contents.users[decodeURIComponent(/^\/2\.0\/users\/(.+)$/.exec(url.pathname)?.[1] ?? '')];
    if (authorization !== basic(username, password)) sendJson(response, 401, { type: 'error' });
    else if (user !== undefined) sendJson(response, 200, user);
    else if (path !== null && path[1] === undefined) sendJson(response, 200, contents.repository);
    else if (object !== undefined) sendJson(response, 200, object);
    else if (list === undefined) sendJson(response, 404, { type: 'error', error: { message: 'Not found' } });
    else sendPage(response, url, list);
  }

  const forge: FakeForgebCloud = {
    ...(await startForgeServer(answer)),
    username: 'octocat',
    password: 'app-password',
    contents: {
      repository: {
        ...{ type: 'repository', full_name: 'octo/things', name: 'Things', slug: 'things', description: 'Things' },
        ...{ is_private: true, mainbranch: { type: 'branch', name: 'main' } },
        ...given.repository,
      },
      lists: { issues: [], milestones: [], pullrequests: [], ...given.lists },
      objects: { ...given.objects },
      users: { ...given.users },
      files: { ...given.files },
    },
  };
  return forge;
}
