import { type ForgeEvent, ForgeProblem, type ForgeReview } from '../../forges';
import type { FailedItem } from '../domain/project-import';
import { findPeople, type PagePeople } from './find-people';
import type { OwnedEvent, OwnedNote, OwnedReview, StageContext } from './imports.ports';

/** Pages of reviews of one pull request: a forge that has more goes round in a circle. */
const maxReviewPages = 100;

/** What the notes say that a forge leaves to its events: one like those that are written here. */
const reviewTexts: Partial<Record<ForgeReview['state'], { action: string; text: string }>> = {
  approved: { action: 'approved', text: 'approved this merge request' },
  requested_changes: { action: 'requested_changes', text: 'requested changes' },
};

/** Notes of a review: what was decided, and what was said to it. */
function notesOfReview(found: PagePeople, iid: number, review: ForgeReview): OwnedNote[] {
  const { foreignId, author, body, state, submittedAt } = review;
  const authorId = found.writer(author);
  const at = { on: 'pull', iid, authorId, createdAt: submittedAt, updatedAt: submittedAt } as const;
  const decided = reviewTexts[state];
  return [
    ...(decided === undefined
      ? []
      : [{ ...at, body: decided.text, key: `review:${foreignId}#`, action: decided.action }]),
    ...(body.trim() === '' ? [] : [{ ...at, body, key: `review:${foreignId}` }]),
  ];
}

/** Brings over the reviews of a pull request, page by page; what was decided counts once all are read. */
export async function bringReviews(
  context: StageContext,
  iid: number,
): Promise<{ readonly fetched: number; readonly imported: number; readonly failed: readonly FailedItem[] }> {
  const { forge, targets, people, import: one, signal, since } = context;
  let { project } = context;
  const decided = new Map<number, OwnedReview>();
  let [fetched, imported] = [0, 0];
  const failed: FailedItem[] = [];
  let page = 1;
  for (let pages = 1; ; pages += 1) {
    const { items, isLast, ...read } = await forge.reviews(one.repository, iid, page, one.pageSize);
    page = read.next ?? page + 1;
    signal.throwIfAborted();
    fetched += read.fetched;
    failed.push(...(read.failed ?? []));
    imported += items.length;
    const authors = items.map(({ author }) => author);
    const found = await findPeople(context, authors);
    project = found.project;
    const deciders = await people.withoutPlaceholders(one.id, found.users(authors));
    for (const { author, state, submittedAt } of items) {
      // What somebody has decided who is gone, or unknown here, counts for nobody.
      const userId = found.users([author]).find((id) => deciders.has(id));
      const before = userId === undefined ? undefined : decided.get(userId);
      // A comment takes nothing back that was decided before it, and a forge may begin with the newest.
      const isLatest = before === undefined || (state !== 'reviewed' && before.submittedAt <= submittedAt);
      // What was decided before has come over: who has decided otherwise here since is not asked again.
      const isNew = since === undefined || submittedAt >= since;
      if (userId !== undefined && isNew && (isLatest || before?.state === 'reviewed'))
        decided.set(userId, { userId, state, submittedAt });
    }
    const notes = items.flatMap((review) => notesOfReview(found, iid, review));
    // A review is up to two notes, a request takes as many as a page has items.
    for (let at = 0; at < notes.length; at += one.pageSize)
      await targets.importNotes(
        project,
        { items: notes.slice(at, at + one.pageSize), knownBefore: since },
        one.requestId,
      );
    if (isLast) break;
    if (pages >= maxReviewPages)
      throw new ForgeProblem('refused', `The forge has more than ${maxReviewPages} pages of reviews`);
  }
  if (decided.size > 0) await targets.importReviews(project, iid, [...decided.values()], one.requestId);
  return { fetched, imported, failed };
}

const changes: Readonly<Record<string, Pick<OwnedEvent, 'kind' | 'action'>>> = {
  closed: { kind: 'state', action: 'closed' },
  reopened: { kind: 'state', action: 'reopened' },
  merged: { kind: 'state', action: 'merged' },
  labeled: { kind: 'label', action: 'add' },
  unlabeled: { kind: 'label', action: 'remove' },
  milestoned: { kind: 'milestone', action: 'add' },
  demilestoned: { kind: 'milestone', action: 'remove' },
};

/** Those events that are changes of the state, a label or the milestone. A merge closes as well: that is one event. */
export function eventsOf(found: PagePeople, events: readonly ForgeEvent[]): OwnedEvent[] {
  const moment = ({ iid, createdAt }: ForgeEvent): string => `${iid} ${createdAt.getTime()}`;
  const merged = new Set(events.filter(({ kind }) => kind === 'merged').map(moment));
  return events.flatMap((event) => {
    const { kind, key, iid, label, milestone, actor, createdAt } = event;
    const change = changes[kind];
    if (change === undefined || (kind === 'closed' && merged.has(moment(event)))) return [];
    const [userId = 0] = found.users([actor]);
    return [{ ...change, key, iid, title: label || milestone, userId, createdAt }];
  });
}

const noteTexts: Readonly<
  Record<string, (event: Pick<ForgeEvent, 'title' | 'person'>) => { action: string; text: string } | undefined>
> = {
  renamed: ({ title }) => (title === '' ? undefined : { action: 'title', text: `changed the title to **${title}**` }),
  assigned: ({ person }) => (person === '' ? undefined : { action: 'assignee', text: `assigned to ${person}` }),
  unassigned: ({ person }) => (person === '' ? undefined : { action: 'assignee', text: `unassigned ${person}` }),
  review_requested: ({ person }) =>
    person === '' ? undefined : { action: 'reviewer', text: `requested review from ${person}` },
  review_request_removed: ({ person }) =>
    person === '' ? undefined : { action: 'reviewer', text: `removed the review request for ${person}` },
  locked: () => ({ action: 'discussion_locked', text: 'locked the discussion' }),
  unlocked: () => ({ action: 'discussion_locked', text: 'unlocked the discussion' }),
  convert_to_draft: () => ({ action: 'draft', text: 'marked this merge request as **draft**' }),
  ready_for_review: () => ({ action: 'draft', text: 'marked this merge request as **ready**' }),
};

/**
 * The note of an event that has one here; undefined for others.
 * @param usernames of users who may be mentioned: the login of anybody else may be the username of a stranger here
 */
export function noteOfEvent(
  found: PagePeople,
  usernames: ReadonlyMap<number, string>,
  event: ForgeEvent,
): OwnedNote | undefined {
  const { key, on, iid, actor, createdAt, title } = event;
  const username = found.users([event.person]).map((id) => usernames.get(id))[0];
  // A forge may say any text: a backtick would end the code.
  const login = event.person.replaceAll('`', '');
  const person = username === undefined ? login && `\`${login}\`` : `@${username}`;
  const note = noteTexts[event.kind]?.({ title, person });
  if (note === undefined) return undefined;
  return {
    ...{ key: `event:${key}`, on, iid, authorId: found.writer(actor), body: note.text, action: note.action },
    ...{ createdAt, updatedAt: createdAt },
  };
}
