import { notFound } from '@switchyard/errors';
import {
  countCommits,
  createMergeCommit,
  isAncestor,
  listCommits,
  type Repository,
  readCommit,
  replay,
  type Sha,
  type Signature,
  squash as squashCommits,
} from '../../git';
import { type MessageValues, mergeMessage, quotesCommits, squashMessage } from '../domain/merge-message';
import { squashes } from '../domain/merge-request';
import { fullReference, type MergeRequestView } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';

/** Options of a merge that override those of the merge request. */
export interface MergeOptions {
  readonly squash?: boolean | undefined;
  readonly mergeCommitMessage?: string | undefined;
  readonly squashCommitMessage?: string | undefined;
}

/** How a merge is built. */
export interface BuildOptions extends MergeOptions {
  /** Who merges. */
  readonly actorId: number;
  /** Date of the commits: the same merge built twice gives the same commits (D8). */
  readonly date: Date;
  /** Methods that want the source on the target's tip replay it there; without, such a source is refused. */
  readonly replays: boolean;
}

/** The commits of a merge, written and reachable from nowhere yet. */
export interface BuiltMerge {
  /** What the target branch shall point at. */
  readonly newSha: Sha;
  readonly treeSha: Sha;
  readonly mergeCommitSha: Sha | undefined;
  readonly squashCommitSha: Sha | undefined;
  /** Whether a squash was requested; one commit may be its own. */
  readonly squash: boolean;
}

/** Why git cannot merge. */
export type MergeRefusal = 'conflict' | 'no_changes' | 'need_rebase';

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
  edges: Pick<MergeRequestEdges, 'externalUrl'>,
  repo: Repository,
  view: MergeRequestView,
  heads: { source: Sha; target: Sha },
  people: { merger: Identity; author: Identity },
  squash: boolean,
): Promise<MessageValues> {
  const { mergeRequest, settings } = view;
  const quoted = squash || quotesCommits(settings.mergeCommitTemplate);
  const commits = quoted
    ? await listCommits(repo, { from: [heads.source], not: [heads.target], limit: quotedCommits })
    : [];
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

type Tip =
  | { readonly ok: true; readonly sha: Sha; readonly squashed: boolean }
  | { readonly ok: false; readonly reason: MergeRefusal };

/** The source as it goes into the merge: its own head, or everything it has as one commit. */
async function sourceTip(
  repo: Repository,
  view: MergeRequestView,
  heads: { source: Sha; target: Sha },
  options: BuildOptions,
  values: MessageValues,
  sign: { author: Signature; committer: Signature },
  wanted: boolean,
): Promise<Tip> {
  const { settings, mergeRequest } = view;
  const own: Tip = { ok: true, sha: heads.source, squashed: false };
  if (!wanted) return own;
  const message = squashMessage(
    options.squashCommitMessage ?? mergeRequest.squashCommitMessage,
    settings.squashCommitTemplate,
    values,
  );
  // One commit that already has this message is its own squash.
  const redundant =
    (await countCommits(repo, { from: [heads.source], not: [heads.target], cap: 2 })) === 1 &&
    values.firstCommit.trim() === message.trim();
  if (redundant) return own;
  const squashed = await squashCommits(repo, { ...heads, ...sign, message });
  return squashed.changes ? { ok: true, sha: squashed.sha, squashed: true } : { ok: false, reason: 'no_changes' };
}

/** A tip that lies on the target: the one given where it does, else its commits replayed there. */
async function onTarget(
  repo: Repository,
  heads: { source: Sha; target: Sha },
  tip: Tip & { ok: true },
  committer: Signature,
): Promise<Tip> {
  if (await isAncestor(repo, heads.target, tip.sha)) return tip;
  const which = tip.squashed ? { commits: [tip.sha] } : { source: tip.sha };
  const replayed = await replay(repo, { onto: heads.target, committer, ...which });
  if (!replayed.ok) return { ok: false, reason: 'conflict' };
  return replayed.sha === heads.target
    ? { ok: false, reason: 'no_changes' }
    : { ok: true, sha: replayed.sha, squashed: tip.squashed };
}

/**
 * Writes the commits of a merge by the project's method (D8), squashed first where that is set: `merge` a merge
 * commit on the target; `ff` the source's commits on it; `rebase_merge` those, and a merge commit over them. Moves no
 * ref.
 */
export async function buildMerge(
  edges: Pick<MergeRequestEdges, 'committers' | 'externalUrl'>,
  repo: Repository,
  view: MergeRequestView,
  heads: { source: Sha; target: Sha },
  options: BuildOptions,
): Promise<({ readonly ok: true } & BuiltMerge) | { readonly ok: false; readonly reason: MergeRefusal }> {
  const { settings, mergeRequest } = view;
  const [merger, author] = await Promise.all([
    edges.committers.committer(options.actorId),
    edges.committers.committer(mergeRequest.authorId),
  ]);
  const sign = ({ name, email }: Identity): Signature => ({ name, email, date: options.date });
  const committer = sign(merger);
  if (settings.mergeMethod !== 'merge' && !options.replays && !(await isAncestor(repo, heads.target, heads.source))) {
    return { ok: false, reason: 'need_rebase' };
  }
  const squash = squashes(settings.squashOption, options.squash ?? mergeRequest.squash);
  const values = await messageValues(edges, repo, view, heads, { merger, author }, squash);
  const source = await sourceTip(repo, view, heads, options, values, { author: sign(author), committer }, squash);
  if (!source.ok) return source;
  const tip = settings.mergeMethod === 'merge' ? source : await onTarget(repo, heads, source, committer);
  if (!tip.ok) return tip;
  const squashCommitSha = tip.squashed ? tip.sha : undefined;
  if (settings.mergeMethod === 'ff') {
    const commit = await readCommit(repo, tip.sha);
    if (commit === undefined) throw notFound('Commit');
    return { ok: true, newSha: tip.sha, treeSha: commit.tree, mergeCommitSha: undefined, squashCommitSha, squash };
  }
  const merged = await createMergeCommit(repo, {
    target: heads.target,
    source: tip.sha,
    author: committer,
    committer,
    message: mergeMessage(
      options.mergeCommitMessage ?? mergeRequest.mergeCommitMessage,
      settings.mergeCommitTemplate,
      values,
    ),
  });
  if (!merged.ok) return { ok: false, reason: 'conflict' };
  return { ok: true, newSha: merged.sha, treeSha: merged.tree, mergeCommitSha: merged.sha, squashCommitSha, squash };
}
