import { Octokit } from '@octokit/rest';
import { z } from '@switchyard/config';
import { type Outbound, OutboundRefused } from '@switchyard/outbound';
import {
  type Forge,
  type ForgeGist,
  type ForgeIssue,
  type ForgeLabel,
  type ForgeListSince,
  type ForgeMilestone,
  type ForgeNote,
  type ForgePage,
  ForgeProblem,
  type ForgeProfile,
  type ForgeRepository,
  type GistFile,
} from '../domain/forge';
import { fileOfForgea } from '../domain/forge-files';
import { wholeAddress } from './address';
import { highestOf, isRefusal, problemOfAnswer, problemOfRefusal, refusedToken, tooMany, unexpected } from './answers';
import {
  collaboratorShape,
  eventOwnerShape,
  eventShape,
  eventShapeOf,
  milestoneName,
  person,
  pullShape,
  releaseShape,
  reviewNoteShape,
  reviewShape,
} from './forgea.shapes';
import { changesFrom, commentsPage, wholeSecond } from './forgea-comments';
import { eventsPage } from './forgea-events';
import { outboundFetch } from './outbound-fetch';
import { date, few, number, repositoryId, text, written } from './shapes';

/** Characters of the header that names the next page. */
const maxLink = 8_192;

/** Milliseconds for a file of a gist. */
const rawFileMs = 60_000;

/** Where a forge is. */
export interface ForgeaHost {
  readonly api: string;
  /** Repositories lie below it. */
  readonly web: string;
}

/** Where forgea is: the hosted one, or the address of another one, with or without `/api/v3`. */
export function forgeaHost(address: string): ForgeaHost {
  if (address === '') return { api: 'https://api.github.com', web: 'https://github.com' };
  const web = wholeAddress(address).replace(/\/api\/v3$/, '');
  return { api: `${web}/api/v3`, web };
}

const repositoryShape = z.object({
  id: repositoryId,
  full_name: z.string().regex(/^(?!.*\.\.)[\w.-]{1,100}\/[\w.-]{1,100}$/),
  name: z.string().regex(/^[\w.-]{1,100}$/),
  description: text,
  private: z.boolean(),
  default_branch: text,
  // True as well where it has no page yet, and so no wiki.
  has_wiki: z.boolean().catch(false),
});

/** What a repository says that it has switched off; one that says nothing has all. */
const switchesShape = z.object({
  has_issues: z.boolean().catch(true),
  has_pull_requests: z.boolean().catch(true),
});

/** A switch of a repository. */
type Switch = keyof z.infer<typeof switchesShape>;

const labelShape = z
  .object({ name: written, color: written, description: text })
  .transform(({ name, color, description }): ForgeLabel => ({ title: name, color: `#${color}`, description }));

const milestoneShape = z
  .object({
    number,
    title: written,
    description: text,
    state: z.enum(['open', 'closed']),
    due_on: date.nullish().catch(null),
    created_at: date,
    updated_at: date,
  })
  .transform(
    (given): ForgeMilestone => ({
      iid: given.number,
      title: given.title,
      description: given.description,
      closed: given.state === 'closed',
      dueDate: given.due_on?.toISOString().slice(0, 10) ?? '',
      createdAt: given.created_at,
      updatedAt: given.updated_at,
    }),
  );

const profileShape = z
  .object({ id: z.int().positive(), name: text.catch(''), email: text.catch('') })
  .transform(({ id, name, email }): ForgeProfile => ({ id: String(id), name, email: email || undefined }));

const issueShape = z
  .object({
    number,
    title: written,
    body: text,
    state: z.enum(['open', 'closed']),
    user: person,
    closed_at: date.nullish().catch(null),
    labels: few(z.union([written, z.object({ name: written }).transform(({ name }) => name)])),
    milestone: milestoneName.nullish().catch(null),
    assignees: few(person),
    locked: z.boolean().catch(false),
    created_at: date,
    updated_at: date,
  })
  .transform(
    (given): ForgeIssue => ({
      iid: given.number,
      author: given.user,
      title: given.title,
      description: given.body,
      closedAt: given.state === 'closed' ? (given.closed_at ?? given.updated_at) : undefined,
      labels: given.labels,
      milestoneIid: given.milestone?.number ?? 0,
      milestoneTitle: given.milestone?.title ?? '',
      assignees: given.assignees.filter((login) => login !== ''),
      locked: given.locked,
      createdAt: given.created_at,
      updatedAt: given.updated_at,
    }),
  );

const nameShape = z
  .union([
    z.object({ number }).transform((item) => `#${item.number}`),
    z.object({ tag_name: written }).transform((item) => item.tag_name),
    z.object({ name: written }).transform(({ name }) => name),
    z.object({ id: z.int() }).transform(({ id }) => String(id)),
  ])
  .catch('an item without a name');

/** What an item is called that cannot be read. */
const nameOf = (item: unknown): string => nameShape.parse(item);

/** Pull requests, and comments on them, are in the lists of issues as well. */
const isOfPull = (item: unknown): boolean => {
  const { pull_request: pull, html_url: url } = (item ?? {}) as { pull_request?: unknown; html_url?: unknown };
  return (pull !== undefined && pull !== null) || (typeof url === 'string' && /\/pull\/\d+(#.*)?$/.test(url));
};

const numberShape = z.object({ number }).transform((item) => item.number);

/** Newest items among which the highest number is: one that was moved here is older than its number. */
const newestItems = 100;

const noteShape = z
  .object({
    id: z.int().positive(),
    issue_url: z.string().regex(/\/issues\/\d{1,9}$/),
    html_url: z.string().nullish(),
    body: text,
    user: person,
    created_at: date,
    updated_at: date,
  })
  .transform(
    (given): ForgeNote => ({
      foreignId: given.id,
      on: isOfPull(given) ? 'pull' : 'issue',
      iid: Number(given.issue_url.slice(given.issue_url.lastIndexOf('/') + 1)),
      author: given.user,
      body: given.body,
      createdAt: given.created_at,
      updatedAt: given.updated_at,
    }),
  );

const gistShape = z
  .object({
    id: z.string().regex(/^[\w-]{1,255}$/),
    description: text,
    public: z.boolean(),
    html_url: written.pipe(z.url({ protocol: /^https?$/ }).max(2_048)),
    files: z.record(z.string(), z.object({ filename: written })),
    created_at: date,
    updated_at: date,
  })
  .transform(
    (given): ForgeGist => ({
      id: given.id,
      description: given.description,
      isPublic: given.public,
      webUrl: given.html_url,
      fileNames: Object.values(given.files).map(({ filename }) => filename),
      createdAt: given.created_at,
      updatedAt: given.updated_at,
    }),
  );

const gistFileShape = z.object({
  filename: written,
  // Its NUL stays: by it a file that is no text is known.
  content: z.string().transform((given) => given.toWellFormed()),
  truncated: z.boolean().default(false),
  raw_url: z.string(),
});
const gistFilesShape = z.object({ files: z.record(z.string(), gistFileShape) });

/** Bytes of the files of a gist: as much as a request that makes a snippet may have. */
const maxGistBytes = 16 << 20;

/** All of a list, as they were made. */
const oldestFirst = { state: 'all', sort: 'created', direction: 'asc' } as const;

/** What of a list with the newest first is not older than a date: the list ends with the first that is. */
function newestOf<T>(page: ForgePage<T>, since: Date | undefined, dateOf: (item: T) => Date): ForgePage<T> {
  if (since === undefined) return page;
  const items = page.items.filter((item) => dateOf(item) >= since);
  return items.length === page.items.length ? page : { ...page, items, fetched: items.length, isLast: true };
}

/** Where a header Link says that the list goes on, by a cursor; empty where it goes by numbers of pages alone. */
function cursorOf(link: string): string {
  const address = /<([^<>]*)>; *rel="?next"?/.exec(link)?.[1] ?? '';
  const cursor = URL.canParse(address) ? new URL(address).searchParams.get('after') : null;
  return cursor !== null && /^[\x21-\x7e]{1,1024}$/.test(cursor) ? cursor : '';
}

/** A failure of the client library: the answer of the forge, or what stopped the request. */
interface RequestFailure extends Error {
  readonly status: number;
  readonly response?: { readonly headers?: Readonly<Record<string, string | undefined>> };
}

const isRequestFailure = (error: unknown): error is RequestFailure =>
  error instanceof Error && 'status' in error && typeof error.status === 'number';

/** What a failure of the client library means. */
function problemOf(error: unknown): unknown {
  if (!isRequestFailure(error)) return error;
  const { cause, status, response, message } = error;
  if (cause instanceof OutboundRefused) return problemOfRefusal(cause);
  return problemOfAnswer({ status, headers: response?.headers ?? {}, text: message }, Date.now());
}

/**
 * A client of forgea: its REST API by the library that its makers give.
 * @param signal ends every request
 */
export function forgeaClient(outbound: Outbound, host: ForgeaHost, token: string, signal?: AbortSignal) {
  const silent = (): void => undefined;
  const client = new Octokit({
    auth: token,
    baseUrl: host.api,
    userAgent: 'switchyard',
    request: { fetch: outboundFetch(outbound), ...(signal === undefined ? {} : { signal }) },
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });

  const answered = async <T>(ask: () => Promise<T>): Promise<T> => {
    // No header carries another one: the library would say that the forge answered 500.
    if (!/^[\x21-\x7e]+$/.test(token)) throw refusedToken();
    try {
      return await ask();
    } catch (error) {
      throw problemOf(error);
    }
  };

  async function pageOf<T>(
    shape: z.ZodType<T>,
    size: number,
    ask: () => Promise<{ data: unknown; headers: { link?: string | undefined } }>,
    isWanted: (item: unknown) => boolean = () => true,
  ): Promise<ForgePage<T>> {
    const { data, headers } = await answered(ask);
    if (!Array.isArray(data)) throw unexpected();
    const { link = '' } = headers;
    // `libs/outbound` cuts it there: whether it named a next page is not known any more.
    if (link.length >= maxLink) throw new ForgeProblem('refused', 'The forge sent a header Link that is too long');
    if (data.length > size) throw tooMany(size);
    const wanted = data.filter(isWanted);
    const unread: string[] = [];
    const items = wanted.flatMap((one) => {
      const read = shape.safeParse(one);
      if (read.success) return [read.data];
      unread.push(nameOf(one));
      return [];
    });
    const isLast = data.length === 0 || !/rel="?next"?/.test(link);
    const [, last] = /[?&]page=(\d{1,6})(?:&[^>]*)?>;\s*rel="?last"?/.exec(link) ?? [];
    const pages = last === undefined ? {} : { pages: Number(last) };
    const cursor = isLast ? '' : cursorOf(link);
    return { fetched: wanted.length, items, unread, ...pages, isLast, ...(cursor === '' ? {} : { cursor }) };
  }

  /** A file that is too long for the answer about its gist; without the token, as it lies on another host. */
  async function rawFile(url: string, maxResponseBytes: number): Promise<string | undefined> {
    try {
      const answer = await outbound.request(
        { method: 'GET', url, headers: {} },
        { timeoutMs: rawFileMs, maxResponseBytes, ...(signal === undefined ? {} : { signal }) },
      );
      if (answer.status >= 500 || answer.status === 429)
        throw new ForgeProblem('later', `The forge answered ${answer.status}`);
      return answer.status === 200 && !answer.isCut ? answer.body : undefined;
    } catch (error) {
      if (!(error instanceof OutboundRefused)) throw error;
      const problem = problemOfRefusal(error);
      if (problem.kind !== 'later') return undefined;
      throw problem;
    }
  }

  const ownerAndName = (fullName: string) => {
    const [owner = '', repo = ''] = fullName.split('/');
    return { owner, repo };
  };

  const named = ({ fullName }: ForgeRepository, page: number, size: number, cursor = '', since?: Date) => ({
    ...ownerAndName(fullName),
    ...(cursor === '' ? { page } : { after: cursor }),
    ...(since === undefined ? {} : { since: wholeSecond(since) }),
    per_page: size,
  });

  /** A repository by its owner and name. */
  const repositoryAt = (fullName: string): Promise<{ data: unknown }> =>
    answered(() => client.rest.repos.get(ownerAndName(fullName)));

  /**
   * A page of a list that a repository may have switched off, which is empty then: the forge says 410 of it, or 404. It
   * says 404 as well of what it hides from the token. A page that goes on would be taken for whole.
   */
  async function orSwitchedOff<T>(
    { fullName }: ForgeRepository,
    page: number,
    found: Promise<ForgePage<T>>,
    by: Switch | undefined,
  ): Promise<ForgePage<T>> {
    try {
      return await found;
    } catch (error) {
      if (!(error instanceof ForgeProblem && error.kind === 'not_found') || page > 1) throw error;
      const switches = switchesShape.safeParse((await repositoryAt(fullName)).data);
      const isOff = error.status === 410 || (by !== undefined && switches.data?.[by] === false);
      return { fetched: 0, items: [], isLast: true, ...(isOff ? {} : { hidden: error.message }) };
    }
  }

  const lists: Forge = {
    async highestNumbers(repository) {
      const newestFirst = {
        ...named(repository, 1, newestItems),
        state: 'all',
        sort: 'created',
        direction: 'desc',
      } as const;
      // The list of issues has pull requests as well, unless it is switched off.
      const highest =
        (await highestOf(pageOf(numberShape, newestItems, () => client.rest.issues.listForRepo(newestFirst)))) ||
        (await highestOf(pageOf(numberShape, newestItems, () => client.rest.pulls.list(newestFirst))));
      return { issues: highest, pulls: highest };
    },
    collaborators: (repository, page, size, cursor) =>
      pageOf(collaboratorShape, size, () =>
        client.rest.repos.listCollaborators({ ...named(repository, page, size, cursor), affiliation: 'direct' }),
      ),
    labels: (repository, page, size, cursor) =>
      pageOf(labelShape, size, () => client.rest.issues.listLabelsForRepo(named(repository, page, size, cursor))),
    milestones: (repository, page, size, cursor) =>
      pageOf(milestoneShape, size, () =>
        client.rest.issues.listMilestones({ ...named(repository, page, size, cursor), state: 'all' }),
      ),
    issues: (repository, page, size, cursor, since) =>
      pageOf(
        issueShape,
        size,
        () => client.rest.issues.listForRepo({ ...named(repository, page, size, cursor, since), ...oldestFirst }),
        (one) => !isOfPull(one),
      ),
    pulls: async (repository, page, size, cursor, since) => {
      // The list cannot leave out by date: it is read from its newest end.
      const order = since === undefined ? oldestFirst : ({ state: 'all', sort: 'updated', direction: 'desc' } as const);
      const found = await pageOf(pullShape(repository.fullName), size, () =>
        client.rest.pulls.list({ ...named(repository, page, size, cursor), ...order }),
      );
      return newestOf(found, since, ({ updatedAt }) => updatedAt);
    },
    pullNotes: (repository, page, size, cursor, since) =>
      commentsPage({ page, size, cursor: cursor || changesFrom(since) }, (query) =>
        pageOf(reviewNoteShape, size, () =>
          client.rest.pulls.listReviewCommentsForRepo({ ...named(repository, page, size), ...query }),
        ),
      ),
    reviews: (repository, iid, page, size) =>
      pageOf(reviewShape, size, () =>
        client.rest.pulls.listReviews({ ...named(repository, page, size), pull_number: iid }),
      ),
    events: (repository, page, size, cursor = '', since) =>
      eventsPage(
        { page, size, cursor, since },
        {
          ofAll: async (after) =>
            newestOf(
              await pageOf(eventShape, size, () =>
                client.rest.issues.listEventsForRepo(named(repository, page, size, after)),
              ),
              since,
              ({ createdAt }) => createdAt,
            ),
          owners: (at, count, after) =>
            pageOf(eventOwnerShape, count, () =>
              client.rest.issues.listForRepo({ ...named(repository, at, count, after, since), ...oldestFirst }),
            ),
          ofOne: (owner, at, isWanted) =>
            pageOf(
              eventShapeOf(owner),
              size,
              () => client.rest.issues.listEvents({ ...named(repository, at, size), issue_number: owner.number }),
              isWanted,
            ),
        },
      ),
    releases: (repository, page, size, cursor) =>
      pageOf(releaseShape, size, () => client.rest.repos.listReleases(named(repository, page, size, cursor))),
    issueNotes: (repository, page, size, cursor, since) =>
      commentsPage({ page, size, cursor: cursor || changesFrom(since) }, (query) =>
        pageOf(noteShape, size, () =>
          client.rest.issues.listCommentsForRepo({ ...named(repository, page, size), ...query }),
        ),
      ),
    async profileOf(login) {
      try {
        const { data } = await answered(() => client.rest.users.getByUsername({ username: login }));
        const read = profileShape.safeParse(data);
        return read.success ? read.data : undefined;
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    },
    fileOf: ({ fullName }, link) => fileOfForgea(link, { web: host.web, repository: fullName }, `Bearer ${token}`),
    headsPattern: 'refs/pull/*/head',
    authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
  };
  /** The same list, which may be switched off. @param by the switch of it that the repository has */
  const switchable =
    <T>(list: ForgeListSince<T>, by?: Switch): ForgeListSince<T> =>
    (...of) =>
      orSwitchedOff(of[0], of[1], list(...of), by);
  return {
    ...lists,
    milestones: switchable(lists.milestones, 'has_issues'),
    issues: switchable(lists.issues, 'has_issues'),
    pulls: switchable(lists.pulls, 'has_pull_requests'),
    pullNotes: switchable(lists.pullNotes, 'has_pull_requests'),
    issueNotes: switchable(lists.issueNotes, 'has_issues'),
    events: switchable(lists.events, 'has_issues'),
    releases: switchable(lists.releases),
    /** Gists of the owner of the token, the last changed first. @throws ForgeProblem */
    gists: (page: number, size: number): Promise<ForgePage<ForgeGist>> =>
      pageOf(gistShape, size, () => client.rest.gists.list({ page, per_page: size })),

    /** Files of a gist; undefined for one that is gone, or has more than 16 MiB. @throws ForgeProblem */
    async gistFiles(id: string): Promise<GistFile[] | undefined> {
      try {
        const { data } = await answered(() => client.rest.gists.get({ gist_id: id }));
        const read = gistFilesShape.safeParse(data);
        if (!read.success) throw unexpected();
        const files: GistFile[] = [];
        let left = maxGistBytes;
        for (const { filename, truncated, content, raw_url: url } of Object.values(read.data.files)) {
          const whole = truncated ? await rawFile(url, left) : content;
          left -= whole === undefined ? left + 1 : Buffer.byteLength(whole);
          if (whole === undefined || left < 0) return undefined;
          files.push({ name: filename, content: whole });
        }
        return files;
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    },

    /** A repository by its id, or by its owner and name. @throws ForgeProblem */
    async repository(name: string): Promise<ForgeRepository> {
      const { data } = name.includes('/')
        ? await repositoryAt(name)
        : await answered(() => client.request('GET /repositories/{id}', { id: Number(name) }));
      const read = repositoryShape.safeParse(data);
      if (!read.success) throw unexpected();
      const { id, name: ownName, description, full_name: fullName, private: isPrivate } = read.data;
      const address = `${host.web}/${fullName}`;
      return {
        ...{ id, fullName, name: ownName, description, isPrivate },
        defaultBranch: read.data.default_branch,
        cloneUrl: `${address}.git`,
        ...(read.data.has_wiki ? { wikiUrl: `${address}.wiki.git` } : {}),
      };
    },
  };
}
