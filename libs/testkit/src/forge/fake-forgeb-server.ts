import type { IncomingMessage, ServerResponse } from 'node:http';
import { basic, type ForgeFile, type ForgeServer, sendFile, sendJson, startForgeServer } from './forge-server';
import { gitBackend } from './git-backend';

/** What a server has; lists are in the form in which its REST API sends them. */
export interface ForgebServerContents {
  /** The repository, whose path is `OCTO/things`. */
  readonly repository: Record<string, unknown>;
  /** By their path below the repository, such as `pull-requests`. */
  readonly lists: Record<string, object[]>;
  /** What is alone at its path below the repository, such as one pull request. */
  readonly objects: Record<string, object>;
  /** By slug. */
  readonly users: Record<string, object>;
  /** Files of texts by what follows `attachments/` below the repository. */
  readonly files: Record<string, ForgeFile>;
}

/** A server of the family of forgeb: its REST API below `/rest/api/1.0`, with `nextPageStart`, and git below `/scm`. */
export interface FakeForgebServer extends ForgeServer {
  /** Who may ask; others get 401. */
  username: string;
  token: string;
  /** Name of the default branch; undefined for a repository without commits. */
  defaultBranch: string | undefined;
  /** Places after each part of a list that are left out. */
  skipped: number;
  readonly contents: ForgebServerContents;
}

/**
 * Starts a server on a port of this machine.
 * @param repositories folder with `scm/OCTO/things.git`; undefined: git gets 404
 */
export async function startFakeForgebServer(
  given: Partial<ForgebServerContents> = {},
  repositories?: string,
): Promise<FakeForgebServer> {
  const git = repositories === undefined ? undefined : gitBackend(repositories);

  function sendPage(response: ServerResponse, url: URL, list: readonly object[]): void {
    const limit = Math.min(1_000, Number(url.searchParams.get('limit') ?? 25));
    const start = Number(url.searchParams.get('start') ?? 0);
    const values = list.slice(start, start + limit);
    const isLastPage = start + limit >= list.length;
    sendJson(response, 200, {
      ...{ size: values.length, limit, start, isLastPage, values },
      nextPageStart: isLastPage ? null : start + limit + forge.skipped,
    });
  }

  function answer(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const { username, token, contents, defaultBranch } = forge;
    const isAllowed = request.headers.authorization === basic(username, token);
    const [, attachment] = /^\/projects\/OCTO\/repos\/things\/attachments\/(.+)$/.exec(url.pathname) ?? [];
    if (attachment !== undefined) {
      sendFile(response, isAllowed ? contents.files[attachment] : undefined);
      return;
    }
    if (!url.pathname.startsWith('/rest/api/1.0/')) {
      if (git === undefined || !isAllowed) response.writeHead(404).end();
      else git(request, response);
      return;
    }
    const repository = /\/projects\/OCTO\/repos\/things(?:\/(.+))?$/.exec(url.pathname);
    const [, path = ''] = repository ?? [];
    const user = contents.users[/\/users\/([\w-]+)$/.exec(url.pathname)?.[1] ?? ''];
    const list = contents.lists[path];
    const object = contents.objects[path];
    if (!isAllowed) sendJson(response, 401, { errors: [{ message: 'Authentication failed' }] });
    else if (user !== undefined) sendJson(response, 200, user);
    else if (repository !== null && path === '') sendJson(response, 200, contents.repository);
    else if (path === 'branches/default' && defaultBranch !== undefined)
      sendJson(response, 200, { id: `refs/heads/${defaultBranch}`, displayId: defaultBranch });
    else if (object !== undefined) sendJson(response, 200, object);
    else if (list === undefined) sendJson(response, 404, { errors: [{ message: 'Not found' }] });
    else sendPage(response, url, url.searchParams.get('order') === 'NEWEST' ? list.toReversed() : list);
  }

  const forge: FakeForgebServer = {
    ...(await startForgeServer(answer)),
    username: 'octocat',
    token: 'server-token',
    defaultBranch: 'main',
    skipped: 0,
    contents: {
      repository: {
        ...{ id: 1, slug: 'things', name: 'Things', description: 'Things', public: false, state: 'AVAILABLE' },
        project: { key: 'OCTO', name: 'Octo' },
        ...given.repository,
      },
      lists: { 'pull-requests': [], ...given.lists },
      objects: { ...given.objects },
      users: { ...given.users },
      files: { ...given.files },
    },
  };
  return forge;
}
