import { z } from '@switchyard/config';
import type {
  ForgeCollaborator,
  ForgeEvent,
  ForgePull,
  ForgePullNote,
  ForgeRelease,
  ForgeReview,
} from '../domain/forge';
import type { EventOwner } from './forgea-events';
import { date, few, maxOfIssue, number, text, written } from './shapes';

/** The login of a user; empty for one who is gone. */
export const person = z
  .object({ login: written.refine((login) => login.length <= maxOfIssue).catch('') })
  .nullish()
  .transform((given) => given?.login ?? '');

const may = z.boolean().catch(false);

/** A collaborator; one whose role the owner of the repository has made up has the nearest below it. */
export const collaboratorShape = z
  .object({
    login: written.refine((login) => login !== '' && login.length <= maxOfIssue),
    role_name: z.enum(['read', 'triage', 'write', 'maintain', 'admin']).nullish().catch(null),
    permissions: z.object({ admin: may, maintain: may, push: may, triage: may }).nullish().catch(null),
  })
  .transform(({ login, role_name: name, permissions }): ForgeCollaborator => {
    const { admin, maintain, push, triage } = permissions ?? {};
    const role = admin ? 'admin' : maintain ? 'maintain' : push ? 'write' : triage ? 'triage' : 'read';
    return { login, role: name ?? role };
  });

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const maybeDate = date.nullish().catch(null);
const line = number.nullish().catch(null);

const branch = z.object({
  ref: written,
  sha,
  user: person,
  repo: z.object({ full_name: z.string() }).nullish().catch(null),
});

/** A milestone as issues and pull requests name theirs. */
export const milestoneName = z.object({ number, title: written.catch('') });

/** @param fullName repository into which it goes */
export const pullShape = (fullName: string) =>
  z
    .object({
      number,
      title: written,
      body: text,
      state: z.enum(['open', 'closed']),
      draft: z.boolean().nullish().catch(null),
      user: person,
      labels: few(z.object({ name: written }).transform(({ name }) => name)),
      milestone: milestoneName.nullish().catch(null),
      assignees: few(person),
      requested_reviewers: few(person),
      locked: z.boolean().catch(false),
      head: branch,
      base: branch,
      merge_commit_sha: sha.nullish().catch(null),
      merged_at: maybeDate,
      closed_at: maybeDate,
      created_at: date,
      updated_at: date,
    })
    .transform((given): ForgePull => {
      const mergedAt = given.merged_at ?? undefined;
      const isOwn = given.head.repo?.full_name.toLowerCase() === fullName.toLowerCase();
      const isKnown = (login: string): boolean => login !== '';
      return {
        iid: given.number,
        author: given.user,
        title: given.title,
        description: given.body,
        state: mergedAt !== undefined ? 'merged' : given.state === 'closed' ? 'closed' : 'opened',
        draft: given.draft === true,
        // Forks may have branches of one name: each is named after its owner.
        sourceBranch: isOwn ? given.head.ref : `github/fork/${given.head.user || 'ghost'}/${given.head.ref}`,
        targetBranch: given.base.ref,
        headSha: given.head.sha,
        baseSha: given.base.sha,
        // Of one that is not merged it is a commit that was made to try it.
        mergeCommitSha: mergedAt === undefined ? '' : (given.merge_commit_sha ?? ''),
        labels: given.labels,
        milestoneIid: given.milestone?.number ?? 0,
        milestoneTitle: given.milestone?.title ?? '',
        assignees: given.assignees.filter(isKnown),
        reviewers: given.requested_reviewers.filter(isKnown),
        locked: given.locked,
        mergedAt,
        closedAt: given.state === 'closed' ? (given.closed_at ?? given.updated_at) : undefined,
        createdAt: given.created_at,
        updatedAt: given.updated_at,
      };
    });

/** A comment on a line. Where it is outdated, its line is the one on which it was written. */
export const reviewNoteShape = z
  .object({
    id: z.int().positive(),
    pull_request_url: z.string().regex(/\/pulls\/\d{1,9}$/),
    in_reply_to_id: z.int().positive().nullish().catch(null),
    path: written,
    commit_id: sha.nullish().catch(null),
    original_commit_id: sha,
    line,
    original_line: line,
    side: z.enum(['LEFT', 'RIGHT']).nullish().catch(null),
    diff_hunk: text,
    body: text,
    user: person,
    created_at: date,
    updated_at: date,
  })
  .transform((given): ForgePullNote => {
    const isCurrent = given.line !== null && given.line !== undefined && given.commit_id !== null;
    return {
      foreignId: given.id,
      pullIid: Number(given.pull_request_url.slice(given.pull_request_url.lastIndexOf('/') + 1)),
      threadId: given.in_reply_to_id ?? given.id,
      author: given.user,
      body: given.body,
      path: given.path,
      commitSha: isCurrent ? (given.commit_id ?? given.original_commit_id) : given.original_commit_id,
      line: (isCurrent ? given.line : given.original_line) ?? 0,
      oldSide: given.side === 'LEFT',
      hunk: given.diff_hunk,
      createdAt: given.created_at,
      updatedAt: given.updated_at,
    };
  });

/** A review; one that is not published yet is none. */
export const reviewShape = z
  .object({
    id: z.int().positive(),
    user: person,
    body: text,
    state: z.enum(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED']),
    submitted_at: date,
  })
  .transform(
    (given): ForgeReview => ({
      foreignId: given.id,
      author: given.user,
      body: given.body,
      state: (
        {
          APPROVED: 'approved',
          CHANGES_REQUESTED: 'requested_changes',
          COMMENTED: 'reviewed',
          DISMISSED: 'unapproved',
        } as const
      )[given.state],
      submittedAt: given.submitted_at,
    }),
  );

const named = z.object({ name: written }).nullish().catch(null);

/** Something that was done to an issue or a pull request; a kind that is not known here is read as well. */
export const eventShape = z
  .object({
    id: z.int().positive(),
    event: z.string().max(maxOfIssue),
    actor: person,
    issue: z.object({ number, pull_request: z.unknown().optional() }),
    label: named,
    milestone: z.object({ title: written }).nullish().catch(null),
    assignee: person,
    requested_reviewer: person,
    rename: z.object({ from: written, to: written }).nullish().catch(null),
    created_at: date,
  })
  .transform(
    (given): ForgeEvent => ({
      key: String(given.id),
      kind: given.event,
      on: given.issue.pull_request === undefined || given.issue.pull_request === null ? 'issue' : 'pull',
      iid: given.issue.number,
      actor: given.actor,
      label: given.label?.name ?? '',
      milestone: given.milestone?.title ?? '',
      person: given.assignee || given.requested_reviewer,
      title: given.rename?.to ?? '',
      createdAt: given.created_at,
    }),
  );

/** An issue or a pull request, as far as its events depend on it. */
export const eventOwnerShape = z.object({ number, pull_request: z.unknown().optional(), created_at: date });

/** An event as the list of its issue or pull request has it, which does not say whose it is. */
export const eventShapeOf = (issue: EventOwner) =>
  z.preprocess((given) => (typeof given === 'object' ? { ...given, issue } : given), eventShape);

/** A release; one that is not published yet is none. */
export const releaseShape = z
  .object({
    tag_name: written,
    name: text,
    body: text,
    draft: z.literal(false),
    author: person,
    created_at: date,
    published_at: date,
  })
  .transform(
    (given): ForgeRelease => ({
      tag: given.tag_name,
      name: given.name,
      description: given.body,
      author: given.author,
      createdAt: given.created_at,
      releasedAt: given.published_at,
    }),
  );
