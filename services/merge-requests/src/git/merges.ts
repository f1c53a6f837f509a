import { AppError, isAppError, notFound } from '@switchyard/errors';
import { compareTrees, maxListedFiles } from './changed-files';
import {
  commitObject,
  type NewCommit,
  parseRawCommit,
  type RawCommit,
  readCommits,
  type Signature,
  writeCommit,
  writeCommits,
} from './commits';
import { emptyTreeSha, type Sha, shaOf } from './names';
import { ObjectReader, objectSha } from './objects';
import { mergeBase } from './refs';
import { withObjectArea } from './repository';
import { GitCommandError, type GitOptions, gitText, type Repository, runGit } from './run-git';

/** What merging gave: a tree, or the paths both sides changed in ways git cannot join. */
export type TreeMerge = { ok: true; tree: Sha } | { ok: false; conflicts: string[] };

/**
 * A commit made by merging, or the conflict that prevented it; `commit` names the replayed commit at which it arose.
 */
export type MergeOutcome = { ok: true; sha: Sha; tree: Sha } | { ok: false; conflicts: string[]; commit?: Sha };

// Histories without a common ancestor merge as if over an empty tree, here and in checkMergeability alike.
const mergeArguments = ['merge-tree', '--write-tree', '--allow-unrelated-histories'] as const;
const mergeConfig: NonNullable<GitOptions['config']> = [
  ['merge.renameLimit', '7000'],
  ['merge.renames', 'true'],
  ['merge.directoryRenames', 'conflict'],
];

/** A merge that is too large for a git process is one that git cannot join: it would be too large every time. */
async function orConflict<T>(work: Promise<T>, ...more: 'request_timeout'[]): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isAppError(error, 'too_large', ...more)) return undefined;
    throw error;
  }
}

/** Merges two commits into a tree, which is stored; nothing else changes. One process. */
export async function mergeTrees(
  repo: Repository,
  ours: Sha,
  theirs: Sha,
  options: GitOptions = {},
): Promise<TreeMerge> {
  const run = runGit(
    repo,
    [...mergeArguments, '-z', '--name-only', '--no-messages', '--end-of-options', ours, theirs],
    {
      ...options,
      config: mergeConfig,
      okCodes: [0, 1],
    },
  );
  const merged = await orConflict(run);
  if (merged === undefined) return { ok: false, conflicts: [] };
  const { code, stdout } = merged;
  const [tree = '', ...paths] = stdout.toString('utf8').split('\0');
  const sha = shaOf(tree.trim());
  if (!sha) throw new GitCommandError('merge-tree', code, 'no tree in its output');
  return code === 0 ? { ok: true, tree: sha } : { ok: false, conflicts: paths.filter((path) => path !== '') };
}

/** Whether two commits merge, without keeping anything. */
export type Mergeability = { mergeable: true } | { mergeable: false; conflicts: string[] };

/**
 * Whether each pair merges, all in one process: 0.5 ms a pair. The trees go into a temporary store, so re-checking
 * leaves nothing behind. A pair with a commit that is not there gives `undefined`. Should one of them be too large
 * for the process, it takes no other with it: what changes more than {@link maxListedFiles} files is then not
 * mergeable, and the rest has a process each.
 */
export async function checkMergeability(
  repo: Repository,
  pairs: readonly { target: Sha; source: Sha }[],
  options: GitOptions = {},
): Promise<(Mergeability | undefined)[]> {
  if (pairs.length === 0) return [];
  const present = new Set(
    await existingCommits(repo, [...new Set(pairs.flatMap(({ target, source }) => [target, source]))], options),
  );
  const sound = pairs.map(({ target, source }) => present.has(target) && present.has(source));
  const known = pairs.filter((_, at) => sound[at]);
  const answers = known.length === 0 ? [] : await withObjectArea(repo, (area) => answerWithin(area, known, options));
  let next = 0;
  return sound.map((asked) => (asked ? answers[next++] : undefined));
}

/** Milliseconds for a pair that is checked alone, because another pair was too large. */
const aloneMs = 10_000;

async function answerWithin(
  area: Repository,
  pairs: readonly { target: Sha; source: Sha }[],
  options: GitOptions,
): Promise<Mergeability[]> {
  const together = await orConflict(answerAll(area, pairs, options), 'request_timeout');
  options.signal?.throwIfAborted();
  if (together !== undefined) return together;
  const compared = pairs.map(({ target, source }) => ({ from: target, to: source }));
  const changes = await compareTrees(area, compared, 0, { ...options, timeoutMs: 60_000 });
  const answers: Mergeability[] = [];
  for (const [at, pair] of pairs.entries()) {
    const tooMany = changes[at]!.total > maxListedFiles;
    const alone = tooMany
      ? undefined
      : await orConflict(answerEach(area, [pair], { ...options, timeoutMs: aloneMs }), 'request_timeout');
    answers.push(alone?.[0] ?? { mergeable: false, conflicts: [] });
  }
  return answers;
}

async function answerAll(
  area: Repository,
  pairs: readonly { target: Sha; source: Sha }[],
  options: GitOptions,
): Promise<Mergeability[]> {
  const { code, stdout, stderr } = await runGit(
    area,
    [...mergeArguments, '--stdin', '-z', '--name-only', '--no-messages'],
    {
      timeoutMs: 30_000,
      ...options,
      config: [...mergeConfig, ['core.fsync', 'none']],
      input: pairs.map(({ target, source }) => `${target} ${source}\n`).join(''),
      okCodes: [0, 129],
    },
  );
  // git 2.38 has no --stdin yet and prints its usage.
  if (code === 129) return answerEach(area, pairs, options);
  const answers = parseAnswers(stdout.toString('utf8'));
  if (answers.length !== pairs.length)
    throw new GitCommandError('merge-tree', code, `${answers.length} answers to ${pairs.length} pairs: ${stderr}`);
  return answers;
}

async function answerEach(
  area: Repository,
  pairs: readonly { target: Sha; source: Sha }[],
  options: GitOptions,
): Promise<Mergeability[]> {
  const answers: Mergeability[] = [];
  for (const { target, source } of pairs) {
    const merged = await mergeTrees(area, target, source, options);
    answers.push(merged.ok ? { mergeable: true } : { mergeable: false, conflicts: merged.conflicts });
  }
  return answers;
}

// Each answer: status, NUL, tree, NUL, the paths in conflict each with NUL, an empty path.
function parseAnswers(text: string): Mergeability[] {
  const parts = text.split('\0');
  const answers: Mergeability[] = [];
  let at = 0;
  while (at + 2 < parts.length) {
    const clean = parts[at] === '1';
    const end = parts.indexOf('', at + 2);
    answers.push(clean ? { mergeable: true } : { mergeable: false, conflicts: parts.slice(at + 2, end) });
    at = end + 1;
  }
  return answers;
}

async function existingCommits(repo: Repository, shas: readonly Sha[], options: GitOptions): Promise<Sha[]> {
  const text = await gitText(repo, ['cat-file', '--batch-check', '--buffer'], {
    ...options,
    input: `${shas.join('\n')}\n`,
  });
  return text
    .split('\n')
    .filter((line) => line.split(' ')[1] === 'commit')
    .map((line) => line.split(' ', 1)[0] as Sha);
}

/** Who a new commit is by, and its message. The same values give the same commit on every machine. */
export interface CommitDetails {
  author: Signature;
  committer: Signature;
  message: string;
}

/** A merge commit with parents target and source. Moves no ref. Two processes. */
export async function createMergeCommit(
  repo: Repository,
  input: { target: Sha; source: Sha } & CommitDetails,
  options: GitOptions = {},
): Promise<MergeOutcome> {
  const merged = await mergeTrees(repo, input.target, input.source, options);
  if (!merged.ok) return merged;
  const { author, committer, message } = input;
  const commit: NewCommit = { tree: merged.tree, parents: [input.target, input.source], author, committer, message };
  return { ok: true, sha: await writeCommit(repo, commit, options), tree: merged.tree };
}

/** A squashed source: one commit on the merge base with the tree of the source's head. */
export interface SquashResult {
  sha: Sha;
  base: Sha;
  /** False when the source's tree is the base's: the commit changes nothing. */
  changes: boolean;
}

/**
 * Squashes everything the source has beyond its merge base with the target into one commit on that base. Moves no ref.
 * Throws `unprocessable` when the two have no common ancestor.
 */
export async function squash(
  repo: Repository,
  input: { target: Sha; source: Sha } & CommitDetails,
  options: GitOptions = {},
): Promise<SquashResult> {
  const base = await mergeBase(repo, input.target, input.source, options);
  if (!base) throw new AppError('unprocessable', 'The branches have no common history');
  const [baseCommit, head] = await readCommits(repo, [base, input.source], options);
  const tree = (head ?? baseCommit)?.tree;
  if (!baseCommit || !tree) throw notFound('Commit');
  const { author, committer, message } = input;
  const sha = await writeCommit(repo, { tree, parents: [base], author, committer, message }, options);
  return { sha, base, changes: tree !== baseCommit.tree };
}

/** What applying a commit gave; `empty` when the tip holds its change already. */
export type AppliedCommit = { ok: true; sha: Sha } | { ok: false; reason: 'conflict' | 'empty' };

/**
 * Applies the change of a commit against its first parent to a tip, or takes it back, as one new commit on the tip:
 * cherry-pick and revert. An applied commit keeps its author. Moves no ref.
 *
 * The three trees are merged as three commits of a temporary store, so that neither histories nor merges matter.
 */
export async function applyCommit(
  repo: Repository,
  input: { commit: Sha; onto: Sha; reverted: boolean; committer: Signature; message: string },
  options: GitOptions = {},
): Promise<AppliedCommit> {
  const { onto, originals, parentTrees } = await readOriginals(repo, input.onto, [input.commit], options);
  const original = originals[0]!;
  const parent = original.parents[0];
  const before = parent === undefined ? emptyTreeSha : parentTrees.get(parent)!;
  const [from, to] = input.reverted ? [original.tree, before] : [before, original.tree];
  return withObjectArea(repo, async (area) => {
    const base = await writeCommit(area, { tree: from, parents: [], ...anchor }, options);
    const ours = await writeCommit(area, { tree: onto.tree, parents: [base], ...anchor }, options);
    const theirs = await writeCommit(area, { tree: to, parents: [base], ...anchor }, options);
    const merged = await mergeTrees(keepingTrees(repo, area), ours, theirs, options);
    if (!merged.ok) return { ok: false, reason: 'conflict' };
    if (merged.tree === onto.tree) return { ok: false, reason: 'empty' };
    const { committer, message } = input;
    const author = input.reverted ? committer : original.author;
    const sha = await writeCommit(
      repo,
      { tree: merged.tree, parents: [input.onto], author, committer, message },
      options,
    );
    return { ok: true, sha };
  });
}

/** A repository that reads from an area as well: what is written belongs to the repository itself. */
const keepingTrees = (
  repo: Repository,
  area: Repository & { objects: NonNullable<Repository['objects']> },
): Repository => ({
  path: repo.path,
  objects: {
    directory: area.objects.alternates[0]!,
    alternates: [area.objects.directory, ...area.objects.alternates.slice(1)],
  },
});

/** What replaying gave. */
export type ReplayOutcome =
  | {
      ok: true;
      /** The new tip; `onto` itself when nothing was left to replay. */
      sha: Sha;
      /** Each replayed commit and its result, oldest first. */
      commits: { from: Sha; to: Sha }[];
      /** Commits left out because `onto` already holds their change. */
      dropped: Sha[];
    }
  | { ok: false; conflicts: string[]; commit: Sha };

/**
 * Replays commits on another, as `git rebase` does: author, author's date and message stay, the committer is the one
 * given, merges are left out, and so are commits whose change `onto` holds already (the same patch, or nothing left of
 * it); a commit that was empty from the start is kept. Moves no ref. The same input gives the same commits on every
 * machine.
 *
 * `source` replays what it has beyond `onto`; `commits` replays exactly these, oldest first.
 * For commit C on tip T: x has T's tree and C's parent as its parent, so that merging x and C gives T's tree
 * plus C's change. x lives in a temporary store.
 */
export async function replay(
  repo: Repository,
  input: { onto: Sha; committer: Signature } & ({ source: Sha } | { commits: readonly Sha[] }),
  options: GitOptions = {},
): Promise<ReplayOutcome> {
  const picked =
    'source' in input
      ? await orConflict(commitsToReplay(repo, input.onto, input.source, options))
      : { chosen: [...input.commits], same: new Set<Sha>() };
  if (picked === undefined) return { ok: false, conflicts: [], commit: 'source' in input ? input.source : input.onto };
  const { chosen, same } = picked;
  const { onto, originals, parentTrees } = await readOriginals(repo, input.onto, chosen, options);
  return withObjectArea(repo, async (area) => {
    // New trees belong to the repository; only the x of each step stays in the area.
    const reading = keepingTrees(repo, area);
    let tree = onto.tree;
    const kept: { from: Sha; raw: RawCommit; tree: Sha }[] = [];
    const dropped: Sha[] = [];
    for (const [at, raw] of originals.entries()) {
      const from = chosen[at]!;
      const parent = raw.parents[0];
      const before = parent ? parentTrees.get(parent)! : emptyTreeSha;
      // A commit that was empty from the start has the patch of every other empty one: it is kept, as git keeps it.
      if (same.has(from) && raw.tree !== before) continue;
      let result = raw.tree;
      if (before !== tree) {
        const x = await writeCommit(area, { tree, parents: parent ? [parent] : [], ...anchor }, options);
        const merged = await mergeTrees(reading, x, from, options);
        if (!merged.ok) return { ok: false, conflicts: merged.conflicts, commit: from };
        result = merged.tree;
      }
      if (result === tree && raw.tree !== before) dropped.push(from);
      else {
        kept.push({ from, raw, tree: result });
        tree = result;
      }
    }
    const { made, commits } = chain(input.onto, kept, input.committer);
    await writeCommits(repo, made, options);
    return { ok: true, sha: commits.at(-1)?.to ?? input.onto, commits, dropped };
  });
}

const anchorSignature: Signature = { name: 'switchyard', email: 'switchyard@localhost', date: new Date(0) };
const anchor = { author: anchorSignature, committer: anchorSignature, message: 'replay\n' };

function chain(onto: Sha, kept: readonly { from: Sha; raw: RawCommit; tree: Sha }[], committer: Signature) {
  let tip = onto;
  const made: NewCommit[] = [];
  const commits: { from: Sha; to: Sha }[] = [];
  for (const { from, raw, tree } of kept) {
    const { author, encoding, message } = raw;
    const commit: NewCommit = { tree, parents: [tip], author, committer, message, encoding };
    tip = objectSha(commitObject(commit));
    made.push(commit);
    commits.push({ from, to: tip });
  }
  return { made, commits };
}

/**
 * The commits of `source` that `onto` lacks, oldest first, and those of them whose patch `onto` has under another name.
 */
async function commitsToReplay(
  repo: Repository,
  onto: Sha,
  source: Sha,
  options: GitOptions,
): Promise<{ chosen: Sha[]; same: Set<Sha> }> {
  const args = [
    'rev-list',
    '--reverse',
    '--topo-order',
    '--no-merges',
    '--right-only',
    '--cherry-mark',
    '--end-of-options',
    `${onto}...${source}`,
    '--',
  ];
  const text = await gitText(repo, args, options);
  const marked = text.split('\n').filter((line) => line !== '');
  const shaOf = (line: string): Sha => line.slice(1) as Sha;
  return { chosen: marked.map(shaOf), same: new Set(marked.filter((line) => line.startsWith('=')).map(shaOf)) };
}

async function readOriginals(repo: Repository, onto: Sha, chosen: readonly Sha[], options: GitOptions) {
  const reader = await ObjectReader.open(repo, options);
  const rawCommits = async (shas: readonly Sha[]): Promise<RawCommit[]> =>
    (await reader.read(shas)).map((object) => {
      if (object?.type !== 'commit') throw notFound('Commit');
      return parseRawCommit(object.content);
    });
  try {
    const [base, ...originals] = await rawCommits([onto, ...chosen]);
    const shas = [...new Set(originals.flatMap(({ parents }) => parents[0] ?? []))];
    const parents = await rawCommits(shas);
    return { onto: base!, originals, parentTrees: new Map(shas.map((sha, at) => [sha, parents[at]!.tree])) };
  } finally {
    reader.close();
  }
}
