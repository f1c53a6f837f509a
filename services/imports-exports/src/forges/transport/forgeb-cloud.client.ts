import { z } from '@switchyard/config';
import type { Outbound } from '@switchyard/outbound';
import {
  type Forge,
  type ForgeIssue,
  type ForgeLabel,
  type ForgeMilestone,
  type ForgeNote,
  type ForgePage,
  ForgeProblem,
  type ForgeRepository,
} from '../domain/forge';
import { tooMany, unexpected } from './answers';
import { basicOf, circle, type ForgebCredentials, isPathPart, orWithout, restOf, withoutPulls } from './forgeb.rest';
import { date, maxOfIssue, number, text, written } from './shapes';

/** Where the cloud forge is: the hosted one, or a stand-in of it, which has both below one address. */
export const forgebCloudHost = (address: string | undefined): { readonly api: string; readonly web: string } =>
  address === undefined
    ? { api: 'https://api.bitbucket.org/2.0', web: 'https://bitbucket.org' }
    : { api: `${address}/2.0`, web: address };

/** User of git for who signs in by an e-mail address: with an API token. */
const gitUser = 'x-bitbucket-api-token-auth';

const repositoryShape = z.object({
  full_name: z.string().refine((name) => /^[^/]+\/[^/]+$/.test(name) && name.split('/').every(isPathPart)),
  description: text,
  is_private: z.boolean(),
  mainbranch: z.object({ name: written }).nullish().catch(null),
});

/** A nickname, or the name that is shown where there is none. */
const person = z
  .object({ nickname: written.nullish(), display_name: written.nullish() })
  .transform(({ nickname, display_name: name }) => nickname || name || '')
  .refine((login) => login.length <= maxOfIssue)
  .nullish()
  .catch(null)
  .transform((login) => login ?? '');

const content = z
  .object({ raw: text })
  .nullish()
  .transform((given) => given?.raw ?? '');

/** Kinds of issues, which come over as labels. */
const kinds: readonly ForgeLabel[] = [
  { title: 'bug', color: '#d9534f', description: '' },
  { title: 'enhancement', color: '#44ad8e', description: '' },
  { title: 'proposal', color: '#5cb85c', description: '' },
  { title: 'task', color: '#7f8c8d', description: '' },
];

/** States of an issue that is done with. */
const closing = new Set(['resolved', 'closed', 'invalid', 'duplicate', 'wontfix']);

const milestoneShape = z.object({ id: number, name: written });

const issueShape = z
  .object({
    id: number,
    title: written,
    content,
    state: z.string(),
    kind: z.enum(['bug', 'enhancement', 'proposal', 'task']).nullish().catch(null),
    milestone: z.object({ id: number }).nullish().catch(null),
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
      assignees: given.assignee === '' ? [] : [given.assignee],
      locked: false,
      createdAt: given.created_on,
      updatedAt: given.updated_on ?? given.created_on,
    }),
  );

const commentShape = (issueIid: number) =>
  z
    .object({
      id: z.int().positive(),
      // A change without a word is a comment as well.
      content: content.refine((body) => body !== ''),
      user: person,
      created_on: date,
      updated_on: date.nullish().catch(null),
    })
    .transform(
      (given): ForgeNote => ({
        foreignId: given.id,
        on: 'issue',
        iid: issueIid,
        author: given.user,
        body: given.content,
        createdAt: given.created_on,
        updatedAt: given.updated_on ?? given.created_on,
      }),
    );

/** Pages of comments on one issue, and issues whose comments are found: together they are a place in the list of all. */
const maxCommentPages = 1_000;
const maxIssue = 2_000_000;

function placeOf(iid: number, page: number): number {
  if (iid > maxIssue || page >= maxCommentPages)
    throw new ForgeProblem('refused', `Issue ${iid} has too many comments, or too high a number`);
  return iid * maxCommentPages + page;
}

const issueId = z.object({ id: number }).transform(({ id }) => id);

/** Issues that are looked through for comments in one go. */
const issuesAtOnce = 20;

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

  async function pageOf<T>(
    shape: z.ZodType<T>,
    path: string,
    page: number,
    size: number,
    query: Readonly<Record<string, string>> = {},
  ): Promise<ForgePage<T>> {
    const answer = await orWithout(get(path, { ...query, page, pagelen: size }), { values: [] });
    const read = z.object({ values: z.array(z.unknown()), next: z.unknown().optional() }).safeParse(answer);
    if (!read.success) throw unexpected();
    const { values, next } = read.data;
    if (values.length > size) throw tooMany(size);
    const items = values.flatMap((one) => {
      const item = shape.safeParse(one);
      return item.success ? [item.data] : [];
    });
    const isLast = !hasNext(next, page);
    if (!isLast && values.length === 0) throw circle();
    return { fetched: values.length, items, isLast };
  }

  const of = ({ fullName }: Pick<ForgeRepository, 'fullName'>, list: string): string =>
    `/repositories/${fullName}/${list}`;

  /** Numbers of issues from one on, the least first. */
  const issuesFrom = async (repository: ForgeRepository, iid: number): Promise<readonly number[]> => {
    const query = { q: `id > ${iid - 1}`, sort: 'id', fields: 'values.id' };
    const found = await pageOf(issueId, of(repository, 'issues'), 1, issuesAtOnce, query);
    return found.items.filter((id) => id >= iid);
  };

  const forge: Forge = {
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
        page,
        size,
      );
    },

    issues: (repository, page, size) => pageOf(issueShape, of(repository, 'issues'), page, size, { sort: 'id' }),

    // The forge lists them by issue alone: a place in the list of all is an issue and a page of its comments, or 0 for the
    // issues from it on.
    async issueNotes(repository, place, size) {
      const [iid, page] = place === 1 ? [1, 0] : [Math.floor(place / maxCommentPages), place % maxCommentPages];
      const asked = page === 0 ? await issuesFrom(repository, iid) : [iid];
      let fetched = 0;
      for (const one of asked) {
        const at = Math.max(page, 1);
        const path = of(repository, `issues/${one}/comments`);
        const found = await pageOf(commentShape(one), path, at, size, { sort: 'id' });
        fetched += found.fetched;
        if (!found.isLast) return { ...found, fetched, next: placeOf(one, at + 1) };
        if (found.items.length > 0) return { ...found, fetched, isLast: false, next: placeOf(one + 1, 0) };
      }
      const last = asked.at(-1);
      if (last === undefined) return { fetched, items: [], isLast: true };
      return { fetched, items: [], isLast: false, next: placeOf(last + 1, 0) };
    },

    ...withoutPulls,

    // It shows nobody's.
    profileOf: async () => undefined,

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
      const { full_name: fullName, is_private: isPrivate, description, mainbranch } = read.data;
      return {
        fullName,
        name: fullName.slice(fullName.indexOf('/') + 1),
        description,
        isPrivate,
        defaultBranch: mainbranch?.name ?? '',
        cloneUrl: `${host.web}/${fullName}.git`,
      };
    },
  };
}
