import { z } from '@switchyard/config';
import type { ForgeEvent, ForgeNote, ForgePull, ForgePullNote, ForgeReview } from '../domain/forge';
import { pullFields } from './forgeb-pull';
import { date, few, maxOfIssue, number, text, written } from './shapes';

/** Whether a text is the id of an account, as the forge gives them: two may share a nickname, and change it. */
export const isAccount = (text: string): boolean =>
  /^(?:[\w-]{1,64}:[\w-]{1,64}|[0-9a-f]{24}|\{[0-9a-f-]{36}\})$/i.test(text);

const account = z.string().refine(isAccount).nullish().catch(null);

/** The id of an account; for want of one a nickname, or the name that is shown. */
export const person = z
  .object({ account_id: account, uuid: account, nickname: written.nullish(), display_name: written.nullish() })
  .transform(({ account_id: id, uuid, nickname, display_name: name }) => id || uuid || nickname || name || '')
  .refine((login) => login.length <= maxOfIssue)
  .nullish()
  .catch(null)
  .transform((login) => login ?? '');

/** A text as it was written. */
export const content = z
  .object({ raw: text })
  .nullish()
  .transform((given) => given?.raw ?? '');

const commit = z
  .object({ hash: z.string() })
  .nullish()
  .catch(null)
  .transform((given) => given?.hash ?? '');

const end = z.object({
  branch: z.object({ name: written }),
  commit,
  repository: z.object({ full_name: written }).nullish().catch(null),
});

/** @param fullName repository into which it goes */
export const pullShape = (fullName: string) =>
  z
    .object({
      id: number,
      title: written,
      description: text,
      state: z.enum(['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED']),
      draft: z.boolean().nullish().catch(null),
      author: person,
      reviewers: few(person),
      source: end,
      destination: end,
      merge_commit: commit,
      created_on: date,
      updated_on: date,
    })
    .transform((given): ForgePull => {
      const { branch, repository } = given.source;
      const isOwn = repository?.full_name.toLowerCase() === fullName.toLowerCase();
      return {
        ...pullFields(given, given.updated_on),
        // Forks may have branches of one name: each is named after its owner.
        sourceBranch: isOwn
          ? branch.name
          : `bitbucket/fork/${repository?.full_name.split('/')[0] || 'ghost'}/${branch.name}`,
        targetBranch: given.destination.branch.name,
        headSha: given.source.commit,
        baseSha: given.destination.commit,
        mergeCommitSha: given.merge_commit,
        createdAt: given.created_on,
        updatedAt: given.updated_on,
      };
    });

/** Who took part in a pull request, and what they decided. */
export const reviewsShape = z
  .object({
    id: number,
    updated_on: date,
    participants: few(
      z.object({
        user: person,
        state: z.enum(['approved', 'changes_requested']).nullish().catch(null),
        participated_on: date.nullish().catch(null),
      }),
    ),
  })
  .transform(({ id, updated_on: updatedAt, participants }): ForgeReview[] =>
    participants.flatMap(({ user, state, participated_on: at }, index) => {
      if (user === '' || !state) return [];
      const decided = state === 'approved' ? 'approved' : 'requested_changes';
      return [
        { foreignId: id * maxOfIssue + index, author: user, body: '', state: decided, submittedAt: at ?? updatedAt },
      ];
    }),
  );

const commentShape = z.object({
  id: z.int().positive(),
  // A change without a word, and what was deleted, are comments as well.
  content: content.refine((body) => body.trim() !== ''),
  deleted: z.boolean().nullish().catch(null),
  user: person,
  inline: z.object({ path: written, from: z.int().positive().nullish(), to: z.int().positive().nullish() }).nullish(),
  created_on: date,
  updated_on: date.nullish().catch(null),
});

/** A comment on an issue, or on a pull request as a whole. */
export const noteShape = (on: ForgeNote['on'], iid: number) =>
  commentShape
    .refine(({ inline, deleted }) => !inline && deleted !== true)
    .transform(
      (given): ForgeNote => ({
        // Comments on pull requests have numbers of their own: below zero they are none of an issue.
        foreignId: on === 'issue' ? given.id : -given.id,
        ...{ on, iid, author: given.user, body: given.content },
        ...{ createdAt: given.created_on, updatedAt: given.updated_on ?? given.created_on },
      }),
    );

/** A comment on a line of a pull request, of whose commit the forge says nothing; a thread of its own, see `inThreads`. */
export const pullNoteShape = (pullIid: number) =>
  commentShape
    .refine(({ inline, deleted }) => inline && deleted !== true)
    .transform(
      (given): ForgePullNote => ({
        ...{ foreignId: given.id, pullIid, threadId: given.id, author: given.user },
        ...{ body: given.content, path: given.inline?.path ?? '', commitSha: '', hunk: '' },
        line: given.inline?.to ?? given.inline?.from ?? 0,
        oldSide: !given.inline?.to,
        ...{ createdAt: given.created_on, updatedAt: given.updated_on ?? given.created_on },
      }),
    );

/** States of an issue that is done with. */
export const closing: ReadonlySet<string> = new Set(['resolved', 'closed', 'invalid', 'duplicate', 'wontfix']);

/** Kinds of issues, which come over as labels. */
export const issueKinds = ['bug', 'enhancement', 'proposal', 'task'] as const;

/** What an event is about beside its kind, of one that says none of it. */
const nothing = { label: '', milestone: '', person: '', title: '' };

const change = z
  .object({ old: text, new: text })
  .nullish()
  .catch(null)
  .transform((given) => given ?? { old: '', new: '' });

/** What one change of an issue did to it. */
export const issueChangeShape = (iid: number) =>
  z
    .object({
      id: z.int().positive(),
      user: person,
      created_on: date,
      changes: z.object({ state: change, title: change, milestone: change, kind: change }),
    })
    .transform((given): ForgeEvent[] => {
      const { state, title, milestone, kind } = given.changes;
      const isKind = (name: string): boolean => issueKinds.some((one) => one === name);
      const done: (Pick<ForgeEvent, 'kind'> & Partial<ForgeEvent>)[] = [
        ...(state.new !== '' && closing.has(state.new) !== closing.has(state.old)
          ? [{ kind: closing.has(state.new) ? 'closed' : 'reopened' }]
          : []),
        ...(title.new === '' ? [] : [{ kind: 'renamed', title: title.new }]),
        ...(milestone.old === '' ? [] : [{ kind: 'demilestoned', milestone: milestone.old }]),
        ...(milestone.new === '' ? [] : [{ kind: 'milestoned', milestone: milestone.new }]),
        ...(isKind(kind.old) ? [{ kind: 'unlabeled', label: kind.old }] : []),
        ...(isKind(kind.new) ? [{ kind: 'labeled', label: kind.new }] : []),
      ];
      const of = { ...nothing, on: 'issue', iid, actor: given.user, createdAt: given.created_on } as const;
      return done.map((one) => ({ ...of, ...one, key: `change:${given.id}:${one.kind}` }));
    });

/** What an update of a pull request did to it. The forge gives updates no ids, and the state with each of them. */
export const updateShape = (iid: number) =>
  z
    .object({
      update: z.object({
        state: z.string(),
        date,
        author: person,
        changes: z.object({ status: z.unknown().optional(), title: change }).nullish().catch(null),
      }),
    })
    .transform(({ update: { state, date: createdAt, author: actor, changes } }): ForgeEvent[] => {
      const ended = { MERGED: 'merged', DECLINED: 'closed', SUPERSEDED: 'closed' }[state];
      const title = changes?.title.new ?? '';
      const done: (Pick<ForgeEvent, 'kind'> & Partial<ForgeEvent>)[] = [
        ...(ended !== undefined && changes?.status !== undefined ? [{ kind: ended }] : []),
        ...(title === '' ? [] : [{ kind: 'renamed', title }]),
      ];
      const of = { ...nothing, on: 'pull', iid, actor, createdAt } as const;
      return done.map((one) => ({ ...of, ...one, key: `update:${iid}:${createdAt.getTime()}:${one.kind}` }));
    });
