import { z } from '@switchyard/config';
import type { Outbound } from '@switchyard/outbound';
import {
  type Forge,
  type ForgePage,
  ForgeProblem,
  type ForgeProfile,
  type ForgeRepository,
  type ForgeReview,
} from '../domain/forge';
import { fileOfForgebServer } from '../domain/forge-files';
import { wholeAddress } from './address';
import { highestOf, isRefusal, unexpected } from './answers';
import { pageOfEach } from './each-of';
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
import { eventsShape, notesShape, pullNotesShape, pullShape, reviewShape } from './forgeb-server.shapes';
import { number, repositoryId, text, written } from './shapes';

/** Where a server of the forge is, as its users address it. */
export const forgebServerHost = (address: string): { readonly api: string; readonly web: string } => {
  const web = wholeAddress(address);
  return { api: `${web}/rest/api/1.0`, web };
};

const repositoryShape = z.object({
  id: repositoryId,
  slug: z.string().refine(isPathPart),
  description: text,
  public: z.boolean().catch(false),
  project: z.object({ key: z.string().refine(isPathPart) }),
});

const profileShape = z
  .object({ id: z.int().positive(), displayName: text.catch(''), emailAddress: text.catch('') })
  .transform(
    ({ id, displayName: name, emailAddress }): ForgeProfile => ({
      id: String(id),
      name,
      email: emailAddress || undefined,
    }),
  );

/** Activities of one pull request that have a place in the list of all. */
const maxActivities = 10_000;

/** Activities of a page: each may be a comment with many replies. */
const activitiesAtOnce = 25;

/** Activities in which a page of reviews is looked for. */
const activitiesOfReviews = 4 * activitiesAtOnce;

/** Pull requests that are looked through for comments in one go. */
const pullsAtOnce = 20;

const allPulls = { state: 'ALL', order: 'OLDEST' };

/**
 * A client of a server of the forge, by REST API 1.0. It keeps no issues: those are another product's.
 * @param signal ends every request
 */
export function forgebServerClient(
  outbound: Outbound,
  host: ReturnType<typeof forgebServerHost>,
  credentials: ForgebCredentials,
  signal?: AbortSignal,
) {
  const get = restOf(outbound, host.api, credentials, signal);
  const pathOf = (fullName: string): string => {
    const [project = '', name = '', ...more] = fullName.split('/');
    if (more.length > 0 || !isPathPart(project) || !isPathPart(name))
      throw new ForgeProblem('not_found', 'The forge has no repository of this name');
    return `/projects/${project}/repos/${name}`;
  };

  /** Servers before version 7.5 have it at the other address; a repository without commits has none. */
  async function defaultBranchOf(path: string): Promise<string> {
    for (const address of ['default-branch', 'branches/default']) {
      const read = z.object({ displayId: written }).safeParse(await orWithout(get(`${path}/${address}`), undefined));
      if (read.success) return read.data.displayId;
    }
    return '';
  }

  /** A part of a list, from 0; with `next` from 0 as well unless it is the last. */
  async function partOf<T>(
    shape: z.ZodType<T>,
    path: string,
    start: number,
    limit: number,
    query: Query = {},
  ): Promise<ForgePage<T>> {
    const answer = await orWithout(get(path, { ...query, start, limit }), { values: [], isLastPage: true });
    const read = z
      .object({ values: z.array(z.unknown()), isLastPage: z.boolean(), nextPageStart: z.int().nullish() })
      .safeParse(answer);
    if (!read.success) throw unexpected();
    const { values, isLastPage: isLast, nextPageStart: next } = read.data;
    const items = readableOf(shape, values, limit);
    if (isLast) return { fetched: values.length, items, isLast };
    if (!next || values.length === 0 || next < start + values.length) throw circle();
    return { fetched: values.length, items, isLast, next };
  }

  /** Pull requests by their place among all, from 1: the forge does not find them by number. */
  const pullsFrom =
    ({ fullName }: ForgeRepository) =>
    async (key: number): Promise<{ key: number; iid: number }[]> => {
      const path = `${pathOf(fullName)}/pull-requests`;
      // Each one keeps its place, whatever it is.
      const iid = z.object({ id: number }).catch({ id: 0 });
      const { items } = await partOf(iid, path, key - 1, pullsAtOnce, allPulls);
      return items.map(({ id }, index) => ({ key: key + index, iid: id }));
    };

  /** Lists what activities of all pull requests give, which the forge lists by pull request alone. */
  const ofActivities =
    <T>(shapeOf: (iid: number) => z.ZodType<readonly T[]>) =>
    async (repository: ForgeRepository, place: number): Promise<ForgePage<T>> => {
      const found = await pageOfEach(place, maxActivities, pullsFrom(repository), ({ iid }, start) => {
        const path = `${pathOf(repository.fullName)}/pull-requests/${iid}/activities`;
        return partOf(shapeOf(iid), path, start, activitiesAtOnce);
      });
      const items = found.items.flat();
      return { ...found, fetched: items.length, items };
    };

  const forge: Forge = {
    async highestNumbers({ fullName }) {
      const shape = z.object({ id: number }).transform(({ id }) => id);
      const newestFirst = { ...allPulls, order: 'NEWEST' };
      const path = `${pathOf(fullName)}/pull-requests`;
      return { issues: 0, pulls: await highestOf(partOf(shape, path, 0, pullsAtOnce, newestFirst)) };
    },
    collaborators: none,
    labels: none,
    milestones: none,
    issues: none,
    issueNotes: ofActivities(notesShape),
    async pulls(repository, page, size) {
      const path = `${pathOf(repository.fullName)}/pull-requests`;
      const found = await partOf(pullShape(repository.fullName), path, page - 1, size, allPulls);
      return found.next === undefined ? found : { ...found, next: found.next + 1 };
    },
    pullNotes: ofActivities(pullNotesShape),
    async reviews({ fullName }, iid, page) {
      const path = `${pathOf(fullName)}/pull-requests/${iid}/activities`;
      const items: ForgeReview[] = [];
      let start = page - 1;
      const end = start + activitiesOfReviews;
      while (start < end) {
        const part = await partOf(reviewShape, path, start, activitiesAtOnce);
        items.push(...part.items);
        if (part.next === undefined) return { fetched: items.length, items, isLast: true };
        start = part.next;
      }
      return { fetched: items.length, items, isLast: false, next: start + 1 };
    },
    events: ofActivities(eventsShape),
    releases: none,
    fileOf: ({ fullName }, link) => fileOfForgebServer(link, host.web + pathOf(fullName), basicOf(credentials)),
    headsPattern: 'refs/pull-requests/*/from',
    async profileOf(login) {
      if (!isPathPart(login)) return undefined;
      try {
        const read = profileShape.safeParse(await get(`/users/${login}`));
        return read.success ? read.data : undefined;
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    },
    authorization: basicOf(credentials),
  };
  return {
    ...forge,

    /** A repository as `PROJECT/name`. @throws ForgeProblem */
    async repository(fullName: string): Promise<ForgeRepository> {
      const read = repositoryShape.safeParse(await get(pathOf(fullName)));
      if (!read.success) throw unexpected();
      const { id, slug, project, description } = read.data;
      const found = `${project.key}/${slug}`;
      return {
        id,
        fullName: found,
        name: slug,
        description,
        isPrivate: !read.data.public,
        defaultBranch: await defaultBranchOf(pathOf(found)),
        cloneUrl: `${host.web}/scm/${found}.git`,
      };
    },
  };
}
