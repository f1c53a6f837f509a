import { branchNameOf, branchRef, type RefName, refNameOf, type Sha, shaOf, tagNameOf, tagRef } from './names';
import { describeObjects } from './objects';
import { readRefs } from './refs';
import { readHead } from './repository';
import type { GitOptions, Repository } from './run-git';

/** What a revision turned out to be. `sha` is always a commit. */
export interface Revision {
  sha: Sha;
  kind: 'branch' | 'tag' | 'commit' | 'other';
  /** Set unless `kind` is `commit`. */
  ref?: RefName;
}

/** How callers name a commit: a start, then steps to ancestors. Names of refs hold neither `^` nor `~`. */
const expression = /^([^~^]*)((?:\^\d{0,2}|~\d{0,5}|\^\{(?:commit)?\})*)$/;
const step = /~(\d*)|\^(?![{0])/g;

/** Commits one expression goes back at the most; git reads each of them. */
const maxSteps = 10_000;
/** Characters of the steps. */
const maxStepText = 1_000;

function stepsIn(text: string): number {
  let steps = 0;
  for (const [, count] of text.matchAll(step)) steps += count === undefined || count === '' ? 1 : Number(count);
  return steps;
}

/**
 * The commit a caller's text means: `HEAD`, a full id, a branch, a tag, a full ref under `refs/`, or an unambiguous
 * beginning of a commit id (4 digits or more), in this order; `prefer: 'tag'` checks tags first. Steps may follow: `^`,
 * `^2`, `~3`, `^{commit}`, `^{}`, in any number, up to 10,000 commits back; what has any is of kind `commit`. Nothing
 * else of git's revision language is understood: `:/text` and `^{/text}` would search the history, `@{-1}` and
 * `@{upstream}` mean nothing here. `undefined` when nothing is meant.
 */
export async function resolveRevision(
  repo: Repository,
  text: string,
  options: GitOptions & { prefer?: 'branch' | 'tag' } = {},
): Promise<Revision | undefined> {
  const plain = await resolveName(repo, text, options);
  if (plain !== undefined) return plain;
  const [, name = '', steps = ''] = expression.exec(text) ?? [];
  if (name === '' || steps === '' || steps.length > maxStepText || stepsIn(steps) > maxSteps) return undefined;
  const base = await resolveName(repo, name, options);
  return base && commitAt(repo, `${base.sha}${steps}`, options);
}

async function resolveName(
  repo: Repository,
  text: string,
  options: GitOptions & { prefer?: 'branch' | 'tag' },
): Promise<Revision | undefined> {
  const full = shaOf(text);
  if (full) return commitAt(repo, full, options);
  const wanted = text === 'HEAD' ? await headRef(repo) : candidates(text, options.prefer ?? 'branch');
  if (wanted.length > 0) {
    const found = await readRefs(repo, wanted, options);
    for (const ref of wanted) {
      const hit = found.get(ref);
      if (!hit) continue;
      const sha = hit.commit ?? (hit.type === 'tag' ? (await commitAt(repo, hit.sha, options))?.sha : undefined);
      if (!sha) continue;
      return {
        sha,
        kind: ref.startsWith('refs/heads/') ? 'branch' : ref.startsWith('refs/tags/') ? 'tag' : 'other',
        ref,
      };
    }
  }
  return /^[0-9a-f]{4,39}$/i.test(text) ? commitAt(repo, text.toLowerCase(), options) : undefined;
}

async function headRef(repo: Repository): Promise<RefName[]> {
  const branch = await readHead(repo);
  return branch ? [branchRef(branch)] : [];
}

function candidates(text: string, prefer: 'branch' | 'tag'): RefName[] {
  if (text.startsWith('refs/')) {
    const ref = refNameOf(text);
    return ref ? [ref] : [];
  }
  const branch = branchNameOf(text);
  const tag = tagNameOf(text);
  const refs = [branch && branchRef(branch), tag && tagRef(tag)].filter((ref) => ref !== undefined);
  return prefer === 'tag' ? refs.reverse() : refs;
}

async function commitAt(repo: Repository, revision: string, options: GitOptions): Promise<Revision | undefined> {
  const [found] = await describeObjects(repo, [`${revision}^{commit}`], options);
  return found ? { sha: found.sha, kind: 'commit' } : undefined;
}
