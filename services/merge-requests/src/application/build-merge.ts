import { unprocessable } from '@switchyard/errors';
import { type MessageValues, mergeMessage, squashMessage } from '../domain/merge-message';
import { squashes } from '../domain/merge-request';
import { fullReference, type MergeRequestView } from '../domain/merge-request-view';
import {
  countCommits,
  createMergeCommit,
  isAncestor,
  listCommits,
  type Repository,
  type Sha,
  squash as squashCommits,
} from '../git';
import type { MergeRequestEdges } from './merge-request.edges';

/** What a merge shall do beyond what the merge request says. */
export interface MergeWishes {
  readonly squash?: boolean | undefined;
  readonly mergeCommitMessage?: string | undefined;
  readonly squashCommitMessage?: string | undefined;
}

/** The commits of a merge, written and reachable from nowhere yet. */
export interface BuiltMerge {
  /** What the target branch shall point at. */
  readonly newSha: Sha;
  readonly mergeCommitSha: Sha | undefined;
  readonly squashCommitSha: Sha | undefined;
}

/** Commits quoted in messages at the most. */
const quotedCommits = 100;

/** Text of every refusal that git gives (G-4.2-6). */
export const cannotBeMerged = 'Branch cannot be merged';

/** A name and an address, as git prints them. */
interface Identity {
  readonly name: string;
  readonly email: string;
}

const named = ({ name, email }: Identity): string => `${name} <${email}>`;

async function messageValues(
  edges: MergeRequestEdges,
  repo: Repository,
  view: MergeRequestView,
  heads: { source: Sha; target: Sha },
  people: { merger: Identity; author: Identity },
): Promise<MessageValues> {
  const { mergeRequest } = view;
  const commits = await listCommits(repo, { from: [heads.source], not: [heads.target], limit: quotedCommits });
  const authors = new Set(commits.map(({ authorName, authorEmail }) => `${authorName} <${authorEmail}>`));
  const mergedBy = named(people.merger);
  authors.delete(mergedBy);
  const reference = fullReference(view);
  return {
    sourceBranch: mergeRequest.sourceBranch,
    targetBranch: mergeRequest.targetBranch,
    title: mergeRequest.title,
    description: mergeRequest.description,
    reference,
    url: `${edges.externalUrl}/${reference.replace('!', '/-/merge_requests/')}`,
    firstCommit: commits.at(-1)?.message ?? '',
    allCommits: commits.map(({ message }) => message).reverse(),
    mergedBy,
    author: named(people.author),
    coAuthors: [...authors],
  };
}

/**
 * Writes the commits of a merge by the project's method (D8): `merge` a merge commit; `ff` the source's own commits, or their squash;
 * `rebase_merge` a merge commit on a source that holds the whole target. Moves no ref.
 * @throws AppError unprocessable when git cannot
 */
export async function buildMerge(
  edges: MergeRequestEdges,
  repo: Repository,
  view: MergeRequestView,
  heads: { source: Sha; target: Sha },
  actorId: number,
  wishes: MergeWishes,
): Promise<BuiltMerge> {
  const { settings, mergeRequest } = view;
  const [committer, author] = await Promise.all([
    edges.committers.committer(actorId),
    edges.committers.committer(mergeRequest.authorId),
  ]);
  const date = edges.clock();
  const sign = ({ name, email }: Identity) => ({ name, email, date });
  if (settings.mergeMethod !== 'merge' && !(await isAncestor(repo, heads.target, heads.source))) {
    throw unprocessable(cannotBeMerged);
  }
  const values = await messageValues(edges, repo, view, heads, { merger: committer, author });
  let tip = heads.source;
  let squashCommitSha: Sha | undefined;
  if (squashes(settings.squashOption, wishes.squash ?? mergeRequest.squash)) {
    const message = squashMessage(
      wishes.squashCommitMessage ?? mergeRequest.squashCommitMessage,
      settings.squashCommitTemplate,
      values,
    );
    // One commit that already says so is its own squash.
    const redundant =
      (await countCommits(repo, { from: [heads.source], not: [heads.target], cap: 2 })) === 1 &&
      values.firstCommit.trim() === message.trim();
    if (!redundant) {
      const squashed = await squashCommits(repo, {
        ...heads,
        author: sign(author),
        committer: sign(committer),
        message,
      });
      if (!squashed.changes) throw unprocessable(cannotBeMerged);
      squashCommitSha = squashed.sha;
      tip = squashed.sha;
    }
  }
  if (settings.mergeMethod === 'ff') return { newSha: tip, mergeCommitSha: undefined, squashCommitSha };
  const merged = await createMergeCommit(repo, {
    target: heads.target,
    source: tip,
    author: sign(committer),
    committer: sign(committer),
    message: mergeMessage(
      wishes.mergeCommitMessage ?? mergeRequest.mergeCommitMessage,
      settings.mergeCommitTemplate,
      values,
    ),
  });
  if (!merged.ok) throw unprocessable(cannotBeMerged);
  return { newSha: merged.sha, mergeCommitSha: merged.sha, squashCommitSha };
}
