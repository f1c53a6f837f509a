import { invalid } from '@switchyard/errors';
import { isRefName, isShortRefName } from '@switchyard/texts';

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A full object id: 40 lower-case hexadecimal digits. */
export type Sha = Branded<'Sha'>;
/** A full reference name under `refs/`, valid by git's own rules. */
export type RefName = Branded<'RefName'>;
/** A branch without `refs/heads/`. */
export type BranchName = Branded<'BranchName'>;
/** A tag without `refs/tags/`. */
export type TagName = Branded<'TagName'>;
/** A path inside a tree: relative, no empty, `.` or `..` component, no NUL. */
export type TreePath = Branded<'TreePath'>;

/** The id that means "no object" in ref updates. */
export const zeroSha = '0'.repeat(40) as Sha;
/** The empty tree, which git knows without it being stored. */
export const emptyTreeSha = '4b825dc642cb6eb9a060e54bf8d69288fbee4904' as Sha;

const pathBytes = 4096;

/** The sha `text` spells, upper case folded; `undefined` when it is not 40 hexadecimal digits. */
export function shaOf(text: string): Sha | undefined {
  return /^[0-9a-f]{40}$/i.test(text) ? (text.toLowerCase() as Sha) : undefined;
}

/** `text` as a full reference name; `undefined` when git would refuse it or it does not start with `refs/`. */
export function refNameOf(text: string): RefName | undefined {
  return isRefName(text) ? (text as RefName) : undefined;
}

/**
 * `text` as a branch name; `undefined` when git would refuse it, or for `HEAD`, `@`, `refs/…`, a leading `-` and 40 hex
 * digits.
 */
export function branchNameOf(text: string): BranchName | undefined {
  return isShortRefName(text) ? (text as BranchName) : undefined;
}

/** `text` as a tag name, by the rules of {@link branchNameOf}. */
export function tagNameOf(text: string): TagName | undefined {
  return isShortRefName(text) ? (text as TagName) : undefined;
}

/**
 * `text` as a path inside a tree, slashes at the end dropped; `undefined` when empty, absolute, climbing or over 4,096
 * bytes.
 */
export function treePathOf(text: string): TreePath | undefined {
  const path = text.replace(/(?<!\/)\/+$/, '');
  if (path === '' || path.includes('\0') || !path.isWellFormed() || Buffer.byteLength(path) > pathBytes)
    return undefined;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') ? (path as TreePath) : undefined;
}

// HFS+ ignores these code points in names, so `.g\u200cit` would open `.git` on such a disk.
const hfsIgnored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * True when a component would be, or be taken on some file system for, `.git`; such a path can be read but never
 * written.
 */
export function namesGitFolder(path: TreePath): boolean {
  return path.split(/[/\\]/).some((part) => {
    const folded = part
      .replace(hfsIgnored, '')
      .split(':', 1)[0]
      ?.replace(/(?<![ .])[ .]+$/, '')
      .toLowerCase();
    return folded === '.git' || folded === 'git~1';
  });
}

const parsed = <T>(value: T | undefined, problem: string): T => {
  if (value === undefined) throw invalid(problem);
  return value;
};

/** {@link shaOf}, or `invalid`. */
export const parseSha = (text: string): Sha => parsed(shaOf(text), 'Commit id is invalid');
/** {@link refNameOf}, or `invalid`. */
export const parseRefName = (text: string): RefName => parsed(refNameOf(text), 'Reference name is invalid');
/** {@link branchNameOf}, or `invalid` with GitLab's text. */
export const parseBranchName = (text: string): BranchName => parsed(branchNameOf(text), 'Branch name is invalid');
/** {@link tagNameOf}, or `invalid` with GitLab's text. */
export const parseTagName = (text: string): TagName => parsed(tagNameOf(text), 'Tag name invalid');
/** {@link treePathOf}, or `invalid`. */
export const parseTreePath = (text: string): TreePath =>
  parsed(treePathOf(text), 'Path cannot include directory traversal');

/** The full ref of a branch. */
export const branchRef = (name: BranchName): RefName => `refs/heads/${name}` as RefName;
/** The full ref of a tag. */
export const tagRef = (name: TagName): RefName => `refs/tags/${name}` as RefName;
/** The full ref `refs/merge-requests/<iid>/<leaf>` (`head`, `merge`, `train`). */
export const mergeRequestRef = (iid: number, leaf: 'head' | 'merge' | 'train'): RefName =>
  `refs/merge-requests/${iid}/${leaf}` as RefName;

/** What a full ref names: a branch, a tag, or something clients cannot push. */
export function refKind(
  ref: RefName,
): { kind: 'branch'; name: BranchName } | { kind: 'tag'; name: TagName } | { kind: 'other' } {
  const branch = ref.startsWith('refs/heads/') ? branchNameOf(ref.slice('refs/heads/'.length)) : undefined;
  if (branch) return { kind: 'branch', name: branch };
  const tag = ref.startsWith('refs/tags/') ? tagNameOf(ref.slice('refs/tags/'.length)) : undefined;
  return tag ? { kind: 'tag', name: tag } : { kind: 'other' };
}

/** The ref that a probe of the target branch of a merge train runs on (D8); it can be fetched and never pushed. */
export const probeRef = (trainId: number): RefName => `refs/merge-requests/probes/${trainId}/train` as RefName;
