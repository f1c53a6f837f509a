import { z } from '@switchyard/config';
import type { Outbound } from '@switchyard/outbound';
import {
  type Forge,
  type ForgeEvent,
  type ForgeIssue,
  type ForgeLabel,
  type ForgeMilestone,
  type ForgePage,
  ForgeProblem,
  type ForgeRepository,
} from '../domain/forge';
import { fileOfForgebCloud } from '../domain/forge-files';
import { highestOf, isRefusal, unexpected } from './answers';
import { type Owner, pageOfEach } from './each-of';
import {
  basicOf,
  circle,
  type ForgebCredentials,
  isPathPart,
  none,
  orWithout,
  type Query,
  readableOf,
  restOf,
} from './forgeb.rest';
import {
  closing,
  content,
  isAccount,
  issueChangeShape,
  issueKinds,
  noteShape,
  person,
  pullNoteShape,
  pullShape,
  reviewsShape,
  updateShape,
} from './forgeb-cloud.shapes';
import { answerShape, inThreads, placedShape } from './forgeb-cloud-threads';
import { date, maxOfIssue, number, repositoryId, text, written } from './shapes';

/** Where the cloud forge is: the hosted one, or a stand-in of it, which has both below one address. */
export const forgebCloudHost = (address: string | undefined): { readonly api: string; readonly web: string } =>
  address === undefined
    ? { api: 'https://api.bitbucket.org/2.0', web: 'https://bitbucket.org' }
    : { api: `${address}/2.0`, web: address };

/** User of git for who signs in by an e-mail address: with an API token. */
const gitUser = 'x-bitbucket-api-token-auth';

const repositoryShape = z.object({
  uuid: repositoryId,
  full_name: z.string().refine((name) => /^[^/]+\/[^/]+$/.test(name) && name.split('/').every(isPathPart)),
  description: text,
  is_private: z.boolean(),
  mainbranch: z.object({ name: written }).nullish().catch(null),
  has_wiki: z.boolean().catch(false),
});

/** Kinds of issues, which come over as labels. */
const colors = { bug: '#d9534f', enhancement: '#44ad8e', proposal: '#5cb85c', task: '#7f8c8d' };
const kinds: readonly ForgeLabel[] = issueKinds.map((title) => ({ title, color: colors[title], description: '' }));

const milestoneShape = z.object({ id: number, name: written });

const issueShape = z
  .object({
    id: number,
    title: written,
    content,
    state: z.string(),
    kind: z.enum(issueKinds).nullish().catch(null),
    milestone: z
      .object({ id: number, name: written.catch('') })
      .nullish()
      .catch(null),
    reporter: person,
    assignee: person,
    created_on: date,
    updated_on: date.nullish().catch(null),
  })
  .transform(
    (given): ForgeIssue => ({
      iid: given.id,
      author: given.reporter,
      title: given.title,
      description: given.content,
      closedAt: closing.has(given.state) ? (given.updated_on ?? given.created_on) : undefined,
      labels: given.kind ? [given.kind] : [],
      milestoneIid: given.milestone?.id ?? 0,
      milestoneTitle: given.milestone?.name ?? '',
      assignees: given.assignee === '' ? [] : [given.assignee],
      locked: false,
      createdAt: given.created_on,
      updatedAt: given.updated_on ?? given.created_on,
    }),
  );

const profileShape = z
  .object({ nickname: text.catch(''), display_name: text.catch('') })
  .transform(({ nickname, display_name: name }) => ({ login: (nickname || name).slice(0, maxOfIssue), name }))
  .catch({ login: '', name: '' });

const listShape = z.object({ values: z.array(z.unknown()), next: z.unknown().optional() });

/** Pages of what was done to one pull request that are read, the newest first: 2,000 entries. */
const maxActivityPages = 40;

/** The mark by which an address names the next page. */
function markOf(next: unknown): string | undefined {
  if (typeof next !== 'string' || !URL.canParse(next)) return undefined;
  const mark = new URL(next).searchParams.get('ctx');
  return mark !== null && /^[\x21-\x7e]{1,1024}$/.test(mark) ? mark : undefined;
}

/** Pages of comments on one issue or pull request that have a place in the list of all. */
const maxCommentPages = 1_000;

/** Numbers of issues whose comments are found: in the list of all, those of pull requests come after them. */
const maxIssue = 1_000_000;

/** Pull requests of a page: the forge gives no more. */
const maxPulls = 50;

const idShape = z.object({ id: number }).transform(({ id }) => id);

/** Issues or pull requests that are looked through for comments in one go. */
const ownersAtOnce = 20;

const allStates = { state: ['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED'], sort: 'id' };

/**
 * A client of the cloud forge, by REST API 2.0.
 * @param signal ends every request
 */
export function forgebCloudClient(
  outbound: Outbound,
  host: ReturnType<typeof forgebCloudHost>,
  credentials: ForgebCredentials,
  signal?: AbortSignal,
) {
  const get = restOf(outbound, host.api, credentials, signal);

  /** Whether a list has another page; its address is made here, since the forge may name any. */
  function hasNext(next: unknown, page: number): boolean {
    if (next === undefined || next === null) return false;
    if (typeof next !== 'string' || !URL.canParse(next)) throw unexpected();
    const url = new URL(next);
    if (url.origin !== new URL(host.api).origin)
      throw new ForgeProblem('refused', 'The forge has the next page at another address');
    if (url.searchParams.get('page') !== String(page + 1)) throw circle();
    return true;
  }

  /** @param mayBeAbsent a list that is not there is empty; one that goes on would be taken for whole */
  async function pageOf<T>(
    shape: z.ZodType<T>,
    path: string,
    { page, size, mayBeAbsent }: { readonly page: number; readonly size: number; readonly mayBeAbsent: boolean },
    query: Query = {},
  ): Promise<ForgePage<T>> {
    const asked = get(path, { ...query, page, pagelen: size });
    const answer = await (mayBeAbsent ? orWithout(asked, { values: [] }) : asked);
    const read = listShape.safeParse(answer);
    if (!read.success) throw unexpected();
    const { values, next } = read.data;
    const items = readableOf(shape, values, size);
    const isLast = !hasNext(next, page);
    if (!isLast && values.length === 0) throw circle();
    return { fetched: values.length, items, isLast };
  }

  const of = ({ fullName }: Pick<ForgeRepository, 'fullName'>, list: string): string =>
    `/repositories/${fullName}/${list}`;

  /** Numbers of issues, or of pull requests, from one on, the least first. */
  async function numbersFrom(
    path: string,
    from: number,
    query: Query,
    mayBeAbsent: boolean,
  ): Promise<readonly number[]> {
    const asked = { ...query, q: `id > ${from - 1}`, fields: 'values.id' };
    const { items } = await pageOf(idShape, path, { page: 1, size: ownersAtOnce, mayBeAbsent }, asked);
    if (items.some((id) => id > maxIssue)) throw new ForgeProblem('refused', `The forge has numbers above ${maxIssue}`);
    return items.filter((id) => id >= from);
  }

  /** The newest issue, or pull request, as its number. */
  const newestOf = (path: string, query: Query = {}): Promise<ForgePage<number>> =>
    pageOf(idShape, path, { page: 1, size: 1, mayBeAbsent: true }, { ...query, sort: '-id', fields: 'values.id' });

  /** What has comments. */
  interface Commented extends Owner {
    readonly on: 'issue' | 'pull';
    readonly iid: number;
  }

  const pullsFrom =
    (repository: ForgeRepository) =>
    async (key: number): Promise<Commented[]> => {
      const found = await numbersFrom(of(repository, 'pullrequests'), Math.max(1, key - maxIssue), allStates, false);
      return found.map((iid) => ({ key: maxIssue + iid, on: 'pull', iid }));
    };

  const commentedFrom =
    (repository: ForgeRepository) =>
    async (key: number): Promise<Commented[]> => {
      const path = of(repository, 'issues');
      const issues = key > maxIssue ? [] : await numbersFrom(path, key, { sort: 'id' }, key === 1);
      if (issues.length === 0) return pullsFrom(repository)(key);
      return issues.map((iid) => ({ key: iid, on: 'issue', iid }));
    };

  /**
   * What was done to a pull request. The forge names the next page of it by a mark alone, so all of it is read in one go;
   * what is cut off is named.
   */
  async function updatesOf(repository: ForgeRepository, iid: number): Promise<ForgePage<ForgeEvent[]>> {
    const path = of(repository, `pullrequests/${iid}/activity`);
    const found: ForgeEvent[] = [];
    let mark: string | undefined;
    for (let page = 1; page <= maxActivityPages; page += 1) {
      const query = { pagelen: maxPulls, ...(mark === undefined ? {} : { ctx: mark }) };
      const read = listShape.safeParse(await orWithout(get(path, query), { values: [] }));
      if (!read.success) throw unexpected();
      const { values, next } = read.data;
      found.push(...readableOf(updateShape(iid), values, maxPulls).flat());
      const before = mark;
      mark = markOf(next);
      if (mark === undefined || values.length === 0) return { fetched: 0, items: [found], isLast: true };
      if (mark === before) throw circle();
    }
    return { fetched: 0, items: [found], isLast: true, cut: [`#${iid}`] };
  }

  /** Lists comments of many, which the forge lists for each alone. */
  const commentsOf = <T>(
    repository: ForgeRepository,
    place: number,
    size: number,
    owners: (key: number) => Promise<Commented[]>,
    shapeOf: (one: Commented) => z.ZodType<T>,
  ): Promise<ForgePage<T>> =>
    pageOfEach(place, maxCommentPages, owners, async (one, at) => {
      const list = one.on === 'issue' ? 'issues' : 'pullrequests';
      const path = of(repository, `${list}/${one.iid}/comments`);
      // The issue may be deleted meanwhile.
      const found = await pageOf(shapeOf(one), path, { page: at + 1, size, mayBeAbsent: true }, { sort: 'id' });
      return found.isLast ? found : { ...found, next: at + 1 };
    });

  const forge: Forge = {
    highestNumbers: async (repository) => ({
      issues: await highestOf(newestOf(of(repository, 'issues'))),
      pulls: await highestOf(newestOf(of(repository, 'pullrequests'), allStates)),
    }),
    collaborators: none,
    labels: async () => ({ fetched: kinds.length, items: kinds, isLast: true }),

    milestones: (repository, page, size) => {
      // The forge does not say when.
      const now = new Date();
      return pageOf(
        milestoneShape.transform(
          ({ id, name }): ForgeMilestone => ({
            iid: id,
            title: name,
            description: '',
            closed: false,
            dueDate: '',
            createdAt: now,
            updatedAt: now,
          }),
        ),
        of(repository, 'milestones'),
        { page, size, mayBeAbsent: page === 1 },
      );
    },

    // By number, not by page: one that is deleted meanwhile would have another one left out.
    async issues(repository, iid, size) {
      let last = 0;
      const numbered = z.unknown().transform((given, context) => {
        const read = idShape.safeParse(given);
        if (read.success) last = Math.max(last, read.data);
        const issue = issueShape.safeParse(given);
        if (issue.success) return issue.data;
        context.addIssue('It is no issue');
        return z.NEVER;
      });
      const query = { q: `id > ${iid - 1}`, sort: 'id' };
      const found = await pageOf(numbered, of(repository, 'issues'), { page: 1, size, mayBeAbsent: iid === 1 }, query);
      return found.isLast ? found : { ...found, next: last + 1 };
    },

    issueNotes: (repository, place, size) =>
      commentsOf(repository, place, size, commentedFrom(repository), ({ on, iid }) => noteShape(on, iid)),

    pulls: (repository, page, size) =>
      pageOf(
        pullShape(repository.fullName),
        of(repository, 'pullrequests'),
        { page, size: Math.min(size, maxPulls), mayBeAbsent: false },
        { ...allStates, fields: '+values.reviewers' },
      ),

    async pullNotes(repository, place, size) {
      const shapeOf = ({ iid }: Commented) => placedShape(pullNoteShape(iid));
      const found = await commentsOf(repository, place, size, pullsFrom(repository), shapeOf);
      const items = await inThreads(found.items, async (pull, id) => {
        const answer = await orWithout(get(of(repository, `pullrequests/${pull}/comments/${id}`)), undefined);
        return answerShape.safeParse(answer).data;
      });
      return { ...found, items };
    },

    async reviews(repository, iid) {
      const pull = await orWithout(get(of(repository, `pullrequests/${iid}`)), undefined);
      const { success, data: items = [] } = reviewsShape.safeParse(pull);
      return success ? { fetched: items.length, items, isLast: true } : none();
    },

    async events(repository, place, size) {
      const found = await pageOfEach(place, maxCommentPages, commentedFrom(repository), async ({ on, iid }, at) => {
        if (on === 'pull') return updatesOf(repository, iid);
        const path = of(repository, `issues/${iid}/changes`);
        const read = await pageOf(issueChangeShape(iid), path, { page: at + 1, size, mayBeAbsent: true });
        return read.isLast ? read : { ...read, next: at + 1 };
      });
      const items = found.items.flat();
      return { ...found, fetched: items.length, items };
    },
    releases: none,
    fileOf: (_repository, link) => fileOfForgebCloud(link, host.web, basicOf(credentials)),
    headsPattern: '',

    async profileOf(id) {
      if (!isAccount(id)) return undefined;
      const asked = get(`/users/${encodeURIComponent(id)}`).catch((error: unknown) => {
        if (isRefusal(error)) return undefined;
        throw error;
      });
      // It shows nobody's address.
      return { id, email: undefined, ...profileShape.parse(await asked) };
    },

    authorization: basicOf(credentials.username.includes('@') ? { ...credentials, username: gitUser } : credentials),
  };
  return {
    ...forge,

    /** A repository as `workspace/name`. @throws ForgeProblem */
    async repository(name: string): Promise<ForgeRepository> {
      const parts = name.split('/');
      if (parts.length !== 2 || !parts.every(isPathPart))
        throw new ForgeProblem('not_found', 'The forge has no repository of this name');
      const read = repositoryShape.safeParse(await get(`/repositories/${name}`));
      if (!read.success) throw unexpected();
      const {
        uuid: id,
        full_name: fullName,
        is_private: isPrivate,
        description,
        mainbranch,
        has_wiki: hasWiki,
      } = read.data;
      return {
        id,
        fullName,
        name: fullName.slice(fullName.indexOf('/') + 1),
        description,
        isPrivate,
        defaultBranch: mainbranch?.name ?? '',
        cloneUrl: `${host.web}/${fullName}.git`,
        ...(hasWiki ? { wikiUrl: `${host.web}/${fullName}.git/wiki` } : {}),
      };
    },
  };
}
