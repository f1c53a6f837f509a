import {
  branchNameOf,
  branchRef,
  type Commit,
  countCommits,
  describeObjects,
  emptyTreeSha,
  getRef,
  gitText,
  isAncestor,
  listCommits,
  mergeBase,
  mergeTrees,
  ObjectReader,
  objectSha,
  parseRawCommit,
  type RawCommit,
  type Repository,
  readCommits,
  type Sha,
  type Signature,
  shaOf,
  type TreeMerge,
  withObjectArea,
  writeCommit,
} from '../../git';
import type { LandingReceipt } from '../domain/landing-receipt';

/** Commits of one landing that are checked one by one. */
const commitsRead = 10_000;

type Recomputed = { readonly differences: string[]; readonly landed?: Sha };
type Stored = ReadonlyMap<Sha, RawCommit>;

const short = (sha: string): string => sha.slice(0, 12);

/** Reads commits and hashes them again: git itself does not check that an object matches its name. */
async function readStored(repo: Repository, named: ReadonlyMap<Sha, string>) {
  const reader = await ObjectReader.open(repo);
  const commits = new Map<Sha, RawCommit>();
  const differences: string[] = [];
  try {
    for (const object of await reader.read([...named.keys()])) {
      if (object?.type !== 'commit') continue;
      if (objectSha(object) === object.sha) commits.set(object.sha, parseRawCommit(object.content));
      else differences.push(`the object stored as ${named.get(object.sha)} ${short(object.sha)} is another one`);
    }
  } finally {
    reader.close();
  }
  for (const [sha, name] of named) {
    if (!commits.has(sha) && differences.length === 0)
      differences.push(`${name} ${short(sha)} is not in the repository`);
  }
  return { commits, differences };
}

/** The objects by which the landed commit differs from its base: each must be there. */
async function missingObjects(repo: Repository, base: Sha, landed: Sha): Promise<string[]> {
  const text = await gitText(repo, ['diff-tree', '-r', '-z', '--no-renames', '--end-of-options', base, landed]);
  const changed = text.split('\0').flatMap((part, at) => (at % 2 === 0 && part !== '' ? [part.split(' ')] : []));
  // Mode 160000 names a commit of another repository.
  const shas = changed.flatMap(([, mode, , sha]) => (mode === '000000' || mode === '160000' || !sha ? [] : [sha]));
  const found = await describeObjects(repo, shas);
  return shas
    .filter((_, at) => found[at] === undefined)
    .map((sha) => `object ${short(sha)} of the landed commit is missing`);
}

const anchorSignature: Signature = { name: 'verifier', email: 'verifier@localhost', date: new Date(0) };

/** The change that `theirs` made to its parent, applied to a tree. */
async function applied(area: Repository, tree: Sha, parent: Sha | undefined, theirs: Sha): Promise<TreeMerge> {
  const ours = await writeCommit(area, {
    tree,
    parents: parent === undefined ? [] : [parent],
    author: anchorSignature,
    committer: anchorSignature,
    message: 'verifier\n',
  });
  return mergeTrees(area, ours, theirs);
}

const treeDiffers = (what: string, merged: TreeMerge, recorded: Sha): string[] => {
  if (!merged.ok) return [`${what} anew gives conflicts in ${merged.conflicts.slice(0, 5).join(', ')}`];
  return merged.tree === recorded ? [] : [`${what} anew gives the tree ${short(merged.tree)}, not ${short(recorded)}`];
};

interface Subject {
  /** Where the verifier's own objects go; the repository is read through it. */
  readonly area: Repository;
  readonly receipt: LandingReceipt;
  readonly commits: Stored;
  readonly base: Sha;
  readonly head: Sha;
}

/** A squash holds the whole source: on the merge base with the source's own tree, or already on the base. */
async function squashDiffers({ area, commits, base, head }: Subject, squash: Sha): Promise<string[]> {
  const { parents, tree } = commits.get(squash)!;
  const fork = await mergeBase(area, base, head);
  if (fork === undefined) return ['base and head have no common history, and were squashed'];
  if (parents.length !== 1 || (parents[0] !== fork && parents[0] !== base)) {
    return [`the squash commit ${short(squash)} lies neither on the merge base nor on the base`];
  }
  if (parents[0] === fork && tree === commits.get(head)!.tree) return [];
  if (parents[0] !== base) return [`the squash commit ${short(squash)} has another tree than the head`];
  return treeDiffers(
    'squashing',
    await applied(area, commits.get(base)!.tree, fork, await squashOf(area, commits, fork, head)),
    tree,
  );
}

const squashOf = (area: Repository, commits: Stored, fork: Sha, head: Sha): Promise<Sha> =>
  writeCommit(area, {
    tree: commits.get(head)!.tree,
    parents: [fork],
    author: anchorSignature,
    committer: anchorSignature,
    message: 'verifier\n',
  });

/**
 * The commits of the source that the base lacks, oldest first, with those marked whose change the base holds under
 * another name.
 */
async function originalsOf(area: Repository, base: Sha, head: Sha): Promise<{ commit: Commit; same: boolean }[]> {
  const args = ['rev-list', '--reverse', '--topo-order', '--no-merges', '--right-only', '--cherry-mark'];
  const text = await gitText(area, [...args, '--end-of-options', `${base}...${head}`, '--']);
  const marked = text.split('\n').filter((line) => line !== '');
  const commits = await readCommits(
    area,
    marked.map((line) => line.slice(1) as Sha),
  );
  const same = new Map(marked.map((line) => [line.slice(1), line.startsWith('=')]));
  return commits.map((commit) => ({ commit, same: same.get(commit.id) ?? false }));
}

const sameWords = (one: Commit, other: Commit): boolean =>
  one.message === other.message &&
  one.authorName === other.authorName &&
  one.authorEmail === other.authorEmail &&
  one.authoredAtText === other.authoredAtText;

/** The source's commits, each with its author, message and change, one after another on the base. */
async function replayDiffers({ area, commits, base, head }: Subject, tip: Sha): Promise<string[]> {
  const chain = (
    await listCommits(area, { from: [tip], not: [base], topological: true, limit: commitsRead })
  ).reverse();
  let below: Sha = base;
  for (const { id, parents } of chain) {
    if (parents.length !== 1 || parents[0] !== below) return [`commit ${short(id)} does not lie on ${short(below)}`];
    below = id;
  }
  const originals = await originalsOf(area, base, head);
  const parents = [...new Set(originals.flatMap(({ commit }) => commit.parents))];
  const treeOf = new Map((await readCommits(area, parents)).map(({ id, tree }) => [id, tree]));
  let tree = commits.get(base)!.tree;
  let at = 0;
  for (const { commit, same } of originals) {
    const parent = commit.parents[0];
    const before = parent === undefined ? emptyTreeSha : (treeOf.get(parent) ?? emptyTreeSha);
    const changes = commit.tree !== before;
    if (same && changes) continue;
    const result: TreeMerge =
      before === tree ? { ok: true, tree: commit.tree } : await applied(area, tree, parent, commit.id);
    if (!result.ok) return treeDiffers(`replaying ${short(commit.id)}`, result, tree);
    if (changes && result.tree === tree) continue;
    const landed = chain[at];
    if (landed === undefined || !sameWords(landed, commit))
      return [`commit ${short(commit.id)} of the source did not land`];
    if (landed.tree !== result.tree) return treeDiffers(`replaying ${short(commit.id)}`, result, landed.tree);
    tree = result.tree;
    at += 1;
  }
  return chain.slice(at).map(({ id }) => `commit ${short(id)} is none of the source's`);
}

/** The line of commits that `ff` and `rebase_merge` put on the base. */
async function lineDiffers(subject: Subject, tip: Sha): Promise<string[]> {
  const { area, receipt, commits, base, head } = subject;
  const squash = receipt.squashCommitSha === undefined ? undefined : (shaOf(receipt.squashCommitSha) as Sha);
  if (squash !== undefined) {
    const [landed] = await readCommits(area, [tip]);
    if (landed === undefined || landed.parents.length !== 1 || landed.parents[0] !== base) {
      return [`the squash landed as ${short(tip)}, which does not lie on the base alone`];
    }
    const differences = await squashDiffers(subject, squash);
    if (squash === tip || differences.length > 0) return differences;
    return treeDiffers(
      'replaying the squash',
      await applied(area, commits.get(base)!.tree, commits.get(squash)!.parents[0], squash),
      landed.tree,
    );
  }
  // A source that holds its whole target lands as it is.
  if (tip === head) return (await isAncestor(area, base, head)) ? [] : ['the base is not part of what landed'];
  return replayDiffers(subject, tip);
}

const asked = (receipt: LandingReceipt, parents: readonly Sha[]): string[] => {
  if (receipt.mergeCommitSha !== receipt.landedSha) {
    return [`the merge commit is ${short(receipt.mergeCommitSha ?? 'none')}, and ${short(receipt.landedSha)} landed`];
  }
  if (parents.length !== 2) return [`the landed commit has ${parents.length} parents, and a merge commit 2`];
  return parents[0] === receipt.baseSha
    ? []
    : [`the first parent of the merge commit is ${short(parents[0]!)}, not the base`];
};

async function shapeDiffers(subject: Subject, landed: Sha): Promise<string[]> {
  const { area, receipt, commits, base, head } = subject;
  const { parents, tree } = commits.get(landed)!;
  if (receipt.squash && receipt.squashCommitSha === undefined) {
    // One commit that already has the message of its squash is its own squash.
    if ((await countCommits(area, { from: [head], not: [base], cap: 2 })) > 1)
      return ['several commits landed, and a squash was asked for'];
  }
  if (!receipt.squash && receipt.squashCommitSha !== undefined) return ['a squash landed, and none was asked for'];
  if (receipt.method === 'ff') {
    if (receipt.mergeCommitSha !== undefined) return ['a merge commit is recorded, and the method makes none'];
    return lineDiffers(subject, landed);
  }
  const shape = asked(receipt, parents);
  if (shape.length > 0) return shape;
  const tip = parents[1]!;
  if (receipt.method === 'merge') {
    const source = receipt.squashCommitSha ?? receipt.headSha;
    if (tip !== source) return [`the second parent of the merge commit is ${short(tip)}, not ${short(source)}`];
    return [
      ...(receipt.squashCommitSha === undefined ? [] : await squashDiffers(subject, tip)),
      ...treeDiffers('merging', await mergeTrees(area, base, tip), tree),
    ];
  }
  const [below] = await readCommits(area, [tip]);
  return [
    ...(await lineDiffers(subject, tip)),
    ...(below?.tree === tree ? [] : ['the merge commit changes what was replayed']),
  ];
}

/**
 * What git alone contradicts of a receipt (D8): whether its commits are there and are what their names say, whether the
 * landed commit has the recorded tree and lies on the base as the method requires, and whether merging or replaying the
 * source again gives that tree. Leaves nothing in the repository. `landed` is set when the landed commit could be read.
 */
export async function recomputeLanding(repo: Repository, receipt: LandingReceipt): Promise<Recomputed> {
  const named = new Map<Sha, string>();
  const malformed: string[] = [];
  const name = (what: string, text: string | undefined): Sha | undefined => {
    const sha = text === undefined ? undefined : shaOf(text);
    if (sha !== undefined && !named.has(sha)) named.set(sha, what);
    if (text !== undefined && sha === undefined) malformed.push(`${what} is no commit id`);
    return sha;
  };
  const landed = name('the landed commit', receipt.landedSha);
  const base = name('the base', receipt.baseSha);
  const head = name('the head', receipt.headSha);
  name('the squash commit', receipt.squashCommitSha);
  name('the merge commit', receipt.mergeCommitSha);
  const tested = name('the tested commit', receipt.testedSha);
  if (landed === undefined || base === undefined || head === undefined || malformed.length > 0)
    return { differences: malformed };
  const { commits, differences: absent } = await readStored(repo, named);
  if (absent.length > 0) return { differences: absent, ...(commits.has(landed) ? { landed } : {}) };
  const { tree } = commits.get(landed)!;
  const differences =
    tree === receipt.landedTree
      ? []
      : [`the landed commit has the tree ${short(tree)}, not ${short(receipt.landedTree)}`];
  const testedTree = tested === undefined ? undefined : commits.get(tested)?.tree;
  if (receipt.batchIids.length > 0 && testedTree !== undefined && testedTree !== receipt.testedTree)
    differences.push(`the tested commit has the tree ${short(testedTree)}, not ${short(receipt.testedTree ?? 'none')}`);
  const missing = await missingObjects(repo, base, landed);
  if (missing.length > 0) return { differences: [...differences, ...missing], landed };
  const shape = await withObjectArea(repo, (area) => shapeDiffers({ area, receipt, commits, base, head }, landed));
  return { differences: [...differences, ...shape], landed };
}

/** Whether the target branch holds a commit today. */
export async function isInBranch(repo: Repository, branch: string, commit: Sha): Promise<boolean> {
  const name = branchNameOf(branch);
  const tip = name === undefined ? undefined : (await getRef(repo, branchRef(name)))?.sha;
  return tip !== undefined && isAncestor(repo, commit, tip);
}
