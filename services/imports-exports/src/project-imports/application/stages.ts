import { isAppError } from '@switchyard/errors';
import { type ForgePage, ForgeProblem } from '../../forges';
import type { FailedItem, StageName } from '../domain/project-import';
import { bringCollaborators } from './bring-collaborators';
import { bringReviews, eventsOf, noteOfEvent } from './bring-history';
import { findPeople } from './find-people';
import type { OwnedNote, StageContext } from './imports.ports';

/** A page that was written. */
export interface WrittenPage extends Pick<ForgePage<unknown>, 'fetched' | 'isLast' | 'next' | 'pages' | 'cursor'> {
  readonly imported: number;
  /** What of it could not be brought over. */
  readonly failed?: readonly FailedItem[];
  /** Names of what has come over, of a list that cannot say what changed since. */
  readonly known?: readonly string[];
}

/** Brings one page over; it may be repeated. */
type Stage = (context: StageContext, page: number, cursor: string) => Promise<WrittenPage>;

/** Items of one request to an owner. */
const maxItems = 100;

/**
 * Those that their owner has not taken. It says how many of them it has: halves are written again until that says which.
 * @param taken how many of them it has
 */
export async function refusedOf<T>(
  items: readonly T[],
  taken: number,
  write: (items: readonly T[]) => Promise<number>,
): Promise<readonly T[]> {
  if (taken >= items.length) return [];
  if (taken <= 0) return items;
  const half = items.slice(0, Math.ceil(items.length / 2));
  const ofHalf = await write(half);
  const rest = items.slice(half.length);
  return [...(await refusedOf(half, ofHalf, write)), ...(await refusedOf(rest, taken - ofHalf, write))];
}

/**
 * A stage that writes what a page has.
 * @param nameOf what an item is called; undefined where an owner is not given each of them
 */
const ofItems =
  <T>(
    read: (context: StageContext, page: number, cursor: string) => Promise<ForgePage<T>>,
    write: (context: StageContext, items: readonly T[]) => Promise<number>,
    nameOf?: (item: T) => string,
  ): Stage =>
  async (context, page, cursor) => {
    const { items, unread = [], cut = [], hidden, failed: missed = [], ...rest } = await read(context, page, cursor);
    let imported = 0;
    const failed = [
      ...missed,
      ...unread.map((item) => ({ item, reason: 'The forge sent it in a form that cannot be read' })),
      ...cut.map((item) => ({ item, reason: 'The forge has more of it than is read' })),
    ];
    if (hidden !== undefined) failed.push({ item: 'the whole list', reason: hidden });
    // An owner takes so many at a time; an answer of a forge may hold more, such as comments with all replies to them.
    for (let at = 0; at < items.length; at += maxItems) {
      context.signal.throwIfAborted();
      const some = items.slice(at, at + maxItems);
      const taken = await write(context, some);
      imported += taken;
      if (nameOf === undefined) continue;
      const refused = await refusedOf(some, taken, (given) => write(context, given));
      failed.push(...refused.map((one) => ({ item: nameOf(one), reason: 'The project does not take it' })));
    }
    return { ...rest, imported, failed };
  };

/** A stage that is left out, and named, where the token may not read its list, which the import itself does not need. */
const ifReadable =
  (item: string, stage: Stage): Stage =>
  async (context, page, cursor) => {
    try {
      return await stage(context, page, cursor);
    } catch (error) {
      if (!(error instanceof ForgeProblem && (error.kind === 'forbidden' || error.kind === 'not_found'))) throw error;
      return { fetched: 0, imported: 0, isLast: true, failed: [{ item, reason: error.message }] };
    }
  };

/**
 * A stage of a list that cannot say what changed, of which only what is new comes over: names that have come over before
 * are left out.
 * @param names `nothing` where an owner is not given each of them
 */
function ofNames<T>(
  read: (context: StageContext, page: number, cursor: string) => Promise<ForgePage<T>>,
  write: (context: StageContext, items: readonly T[]) => Promise<number>,
  nameOf: (item: T) => string,
  names: 'what is refused' | 'nothing' = 'what is refused',
): Stage {
  const refusedName = names === 'nothing' ? undefined : nameOf;
  return async (context, page, cursor) => {
    const found = await read(context, page, cursor);
    const known = new Set(context.known);
    const items = found.items.filter((item) => !known.has(nameOf(item)));
    const written = await ofItems(async () => ({ ...found, items }), write, refusedName)(context, page, cursor);
    // What was refused is tried again.
    const refused = new Set(written.failed?.map(({ item }) => item));
    return { ...written, known: items.map(nameOf).filter((name) => !refused.has(name)) };
  };
}

/** Why a wiki is left out that git refuses, or that is too large: what else there is comes over. */
function problemOfWiki(error: unknown): string {
  if (!isAppError(error, 'unprocessable', 'too_large')) throw error;
  const { message } = error.body;
  return typeof message === 'string' ? message : 'It cannot be brought over';
}

/** Stages by name. */
export const stages: Readonly<Record<StageName, Stage>> = {
  async repository({ import: { author, repository, requestId }, project, forge, targets, signal }) {
    await targets.reserveNumbers(project, await forge.highestNumbers(repository), { requestId, signal });
    const { authorization, headsPattern } = forge;
    const source = { url: repository.cloneUrl, authorization, headsPattern };
    const call = { requestId, signal };
    const { kept, impossible } = await targets.importRepository({ project, author }, source, call);
    const failed = [
      ...kept.map((item) => ({ item, reason: 'It is protected here, or about to be merged' })),
      ...impossible.map((item) => ({ item, reason: 'No branch or tag here can have this name, or point there' })),
    ];
    const { wikiUrl } = repository;
    if (wikiUrl !== undefined) {
      const problem = await targets.importWiki(project, { url: wikiUrl, authorization }, call).catch(problemOfWiki);
      if (typeof problem === 'string') failed.push({ item: 'wiki', reason: problem });
    }
    return { fetched: 0, imported: 0, isLast: true, failed };
  },
  // Of a refresh those who are new: who was removed here stays so.
  collaborators: ifReadable(
    'all collaborators',
    ofNames(
      ({ forge, import: one }, page, cursor) => forge.collaborators(one.repository, page, one.pageSize, cursor),
      bringCollaborators,
      ({ login }) => login,
      'nothing',
    ),
  ),
  labels: ofNames(
    ({ forge, import: one }, page, cursor) => forge.labels(one.repository, page, one.pageSize, cursor),
    ({ targets, project, import: one }, items) => targets.importLabels(project.projectId, items, one.requestId),
    ({ title }) => title,
  ),
  milestones: ofNames(
    ({ forge, import: one }, page, cursor) => forge.milestones(one.repository, page, one.pageSize, cursor),
    ({ targets, project, import: one }, items) => targets.importMilestones(project.projectId, items, one.requestId),
    ({ title }) => title,
  ),
  issues: ofItems(
    ({ forge, import: one, since }, page, cursor) => forge.issues(one.repository, page, one.pageSize, cursor, since),
    async (context, issues) => {
      const found = await findPeople(
        context,
        issues.flatMap(({ author, assignees }) => [author, ...assignees]),
      );
      const owned = issues.map(({ author, assignees, ...issue }) => ({
        ...issue,
        authorId: found.writer(author),
        assigneeIds: found.users(assignees),
      }));
      const { targets, since: knownBefore, import: one } = context;
      return targets.importIssues(found.project, { items: owned, knownBefore }, one.requestId);
    },
    ({ iid }) => `#${iid}`,
  ),
  issue_notes: ofItems(
    ({ forge, import: one, since }, page, cursor) =>
      forge.issueNotes(one.repository, page, one.pageSize, cursor, since),
    async (context, notes) => {
      const found = await findPeople(
        context,
        notes.map(({ author }) => author),
      );
      const owned = notes.map(({ author, foreignId, ...note }) => ({
        ...note,
        authorId: found.writer(author),
        key: String(foreignId),
      }));
      const { targets, since: knownBefore, import: one } = context;
      return targets.importNotes(found.project, { items: owned, knownBefore }, one.requestId);
    },
    ({ foreignId }) => String(foreignId),
  ),
  pull_requests: ofItems(
    ({ forge, import: one, since }, page, cursor) => forge.pulls(one.repository, page, one.pageSize, cursor, since),
    async (context, pulls) => {
      const found = await findPeople(
        context,
        pulls.flatMap(({ author, assignees, reviewers }) => [author, ...assignees, ...reviewers]),
      );
      const owned = pulls.map(({ author, assignees, reviewers, ...pull }) => ({
        ...pull,
        authorId: found.writer(author),
        assigneeIds: found.users(assignees),
        reviewerIds: found.users(reviewers),
      }));
      const { targets, since: knownBefore, import: one } = context;
      const target = { project: found.project, author: one.author };
      return targets.importPulls(target, { items: owned, knownBefore }, one.requestId);
    },
    ({ iid }) => `#${iid}`,
  ),
  diff_notes: ofItems(
    ({ forge, import: one, since }, page, cursor) => forge.pullNotes(one.repository, page, one.pageSize, cursor, since),
    async (context, notes) => {
      const found = await findPeople(
        context,
        notes.map(({ author }) => author),
      );
      const owned = notes.map(
        ({ author, body, foreignId, pullIid, createdAt, updatedAt, ...place }): OwnedNote => ({
          ...{ key: `diff_note:${foreignId}`, on: 'pull', iid: pullIid, place, createdAt, updatedAt },
          ...{ authorId: found.writer(author), body },
        }),
      );
      const { targets, since: knownBefore, import: one } = context;
      return targets.importNotes(found.project, { items: owned, knownBefore }, one.requestId);
    },
    ({ foreignId }) => String(foreignId),
  ),
  // Forges list reviews for each pull request alone: a page is a pull request, and the stage goes on at the next number.
  // Of a refresh it is a page of those that changed: whoever reviews one changes it.
  async pull_request_reviews(context, page, cursor) {
    const { forge, targets, project, import: one, since } = context;
    if (since !== undefined) {
      const {
        items,
        unread: _unread,
        failed: missed = [],
        hidden: _hidden,
        ...rest
      } = await forge.pulls(one.repository, page, one.pageSize, cursor, since);
      let [fetched, imported] = [0, 0];
      const failed = [...missed];
      for (const { iid } of items) {
        const brought = await bringReviews(context, iid);
        fetched += brought.fetched;
        imported += brought.imported;
        failed.push(...brought.failed);
      }
      return { ...rest, fetched, imported, failed };
    }
    const iid = await targets.nextPull(project, page, one.requestId);
    if (iid === undefined) return { fetched: 0, imported: 0, isLast: true };
    return { ...(await bringReviews(context, iid)), isLast: false, next: iid + 1 };
  },
  issue_events: ofItems(
    ({ forge, import: one, since }, page, cursor) => forge.events(one.repository, page, one.pageSize, cursor, since),
    async (context, events) => {
      const { targets, people, import: one, since } = context;
      const found = await findPeople(
        context,
        events.flatMap(({ actor, person }) => [actor, person]),
      );
      const { project } = found;
      const usernames = await people.usernames(found.users(events.map(({ person }) => person)));
      const notes = events.flatMap((event) => noteOfEvent(found, usernames, event) ?? []);
      const brought = { items: notes, knownBefore: since };
      let imported = notes.length === 0 ? 0 : await targets.importNotes(project, brought, one.requestId);
      for (const on of ['issue', 'pull'] as const) {
        const of = eventsOf(
          found,
          events.filter((event) => event.on === on),
        );
        if (of.length > 0) imported += await targets.importEvents(project, on, of, one.requestId);
      }
      return imported;
    },
  ),
  releases: ofNames(
    ({ forge, import: one }, page, cursor) => forge.releases(one.repository, page, one.pageSize, cursor),
    async (context, releases) => {
      const found = await findPeople(
        context,
        releases.map(({ author }) => author),
      );
      const owned = releases.map(({ author, ...release }) => ({ ...release, authorId: found.writer(author) }));
      return context.targets.importReleases(found.project, owned, context.import.requestId);
    },
    ({ tag }) => tag,
  ),
};
