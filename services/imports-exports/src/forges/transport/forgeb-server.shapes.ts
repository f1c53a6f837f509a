import { z } from '@switchyard/config';
import type { ForgeEvent, ForgeNote, ForgePull, ForgePullNote, ForgeReview } from '../domain/forge';
import { isPathPart } from './forgeb.rest';
import { pullFields } from './forgeb-pull';
import { few, maxOfIssue, number, text, written } from './shapes';

/** A moment in milliseconds, of a year that PostgreSQL and clients know. */
const moment = z
  .int()
  .positive()
  .max(Date.UTC(9_999, 11, 31))
  .transform((milliseconds) => new Date(milliseconds));

const person = z
  .object({ slug: written.refine((slug) => slug.length <= maxOfIssue && isPathPart(slug)) })
  .nullish()
  .catch(null)
  .transform((given) => given?.slug ?? '');

const ofUser = z
  .object({ user: person })
  .nullish()
  .transform((given) => given?.user ?? '');

const ref = z.object({
  displayId: written,
  latestCommit: z.string().nullish(),
  repository: z.object({ slug: written, project: z.object({ key: written }) }).nullish(),
});

/** @param fullName repository into which it goes */
export const pullShape = (fullName: string) =>
  z
    .object({
      id: number,
      title: written,
      description: text,
      state: z.enum(['OPEN', 'MERGED', 'DECLINED']),
      draft: z.boolean().nullish().catch(null),
      author: ofUser,
      reviewers: few(ofUser),
      fromRef: ref,
      toRef: ref,
      properties: z
        .object({ mergeCommit: z.object({ id: z.string() }) })
        .nullish()
        .catch(null),
      closedDate: moment.nullish().catch(null),
      createdDate: moment,
      updatedDate: moment,
    })
    .transform((given): ForgePull => {
      const { slug, project } = given.fromRef.repository ?? {};
      const isOwn = `${project?.key}/${slug}`.toLowerCase() === fullName.toLowerCase();
      return {
        ...pullFields(given, given.closedDate ?? given.updatedDate),
        // Forks may have branches of one name: each is named after its owner.
        sourceBranch: isOwn
          ? given.fromRef.displayId
          : `bitbucket_server/fork/${project?.key || 'ghost'}/${given.fromRef.displayId}`,
        targetBranch: given.toRef.displayId,
        headSha: given.fromRef.latestCommit ?? '',
        baseSha: given.toRef.latestCommit ?? '',
        mergeCommitSha: given.properties?.mergeCommit.id ?? '',
        createdAt: given.createdDate,
        updatedAt: given.updatedDate,
      };
    });

const activity = { id: z.int().positive(), createdDate: moment };

/** What somebody decided on a pull request, of an activity that says so. */
export const reviewShape = z
  .object({
    ...activity,
    action: z.enum(['APPROVED', 'REVIEWED', 'UNAPPROVED']),
    user: person.refine((slug) => slug !== ''),
  })
  .transform(({ id, action, user, createdDate }): ForgeReview => {
    const state = ({ APPROVED: 'approved', REVIEWED: 'requested_changes', UNAPPROVED: 'unapproved' } as const)[action];
    return { foreignId: id, author: user, body: '', state, submittedAt: createdDate };
  });

const stateEvents: Readonly<Record<string, string>> = { MERGED: 'merged', DECLINED: 'closed', REOPENED: 'reopened' };

/** What an activity did to a pull request: its state, and who is asked for a review. */
export const eventsShape = (iid: number) =>
  z
    .object({
      ...activity,
      action: z.enum(['MERGED', 'DECLINED', 'REOPENED', 'UPDATED']),
      user: person,
      addedReviewers: few(person),
      removedReviewers: few(person),
    })
    .transform(({ id, action, user, createdDate, addedReviewers, removedReviewers }): ForgeEvent[] => {
      const kind = stateEvents[action];
      const done = [
        ...(kind === undefined ? [] : [{ kind, person: '' }]),
        ...addedReviewers.map((slug) => ({ kind: 'review_requested', person: slug })),
        ...removedReviewers.map((slug) => ({ kind: 'review_request_removed', person: slug })),
      ];
      const of = { on: 'pull', iid, actor: user, label: '', milestone: '', title: '', createdAt: createdDate } as const;
      return done.map((one, at) => ({ ...of, ...one, key: `${id}.${at}` }));
    });

const commentShape = z.object({
  id: z.int().positive(),
  text: written.refine((body) => body.trim() !== ''),
  author: person,
  createdDate: moment,
  updatedDate: moment,
});

const activityShape = z.object({
  action: z.literal('COMMENTED'),
  commentAction: z.literal('ADDED').nullish(),
  comment: z.unknown(),
  commentAnchor: z
    .object({
      path: written,
      line: z.int().min(0).nullish().catch(null),
      lineType: z.string().nullish(),
      fileType: z.string().nullish(),
      toHash: z.string().nullish(),
    })
    .nullish(),
});

/** Comments below one, and the depth to which they are read. */
const maxReplies = 1_000;

/** A comment with all replies to it, in their order; no loop of objects can be in JSON. */
function withReplies(given: unknown): z.infer<typeof commentShape>[] {
  const found: z.infer<typeof commentShape>[] = [];
  const waiting: unknown[] = [given];
  while (waiting.length > 0 && found.length < maxReplies) {
    const one = waiting.shift();
    const read = commentShape.safeParse(one);
    if (read.success) found.push(read.data);
    const { comments } = (one ?? {}) as { comments?: unknown };
    if (Array.isArray(comments)) waiting.push(...comments.slice(0, maxReplies));
  }
  return found;
}

/** Comments of an activity that is a comment on the whole pull request. */
export const notesShape = (iid: number) =>
  activityShape
    .refine(({ commentAnchor }) => !commentAnchor)
    .transform(({ comment }): ForgeNote[] =>
      withReplies(comment).map(({ id, text: body, author, createdDate, updatedDate }) => ({
        ...{ foreignId: id, on: 'pull', iid, author, body, createdAt: createdDate, updatedAt: updatedDate },
      })),
    );

/** Comments of an activity that is a comment on a line or a file. */
export const pullNotesShape = (iid: number) =>
  activityShape.transform(({ comment, commentAnchor: anchor }, context): ForgePullNote[] => {
    const [first, ...replies] = withReplies(comment);
    if (!anchor || first === undefined) {
      context.addIssue('no comment on a line');
      return z.NEVER;
    }
    return [first, ...replies].map(({ id, text: body, author, createdDate, updatedDate }) => ({
      ...{ foreignId: id, pullIid: iid, threadId: first.id, author, body, path: anchor.path },
      ...{ commitSha: anchor.toHash ?? '', line: anchor.line ?? 0, hunk: '' },
      oldSide: anchor.fileType === 'FROM' || anchor.lineType === 'REMOVED',
      ...{ createdAt: createdDate, updatedAt: updatedDate },
    }));
  });
