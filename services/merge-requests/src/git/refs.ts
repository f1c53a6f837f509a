import { rm, stat } from 'node:fs/promises';
import { AppError, conflict, unavailable } from '@switchyard/errors';
import { type Commit, rawTime, readCommits, type Signature, signatureLine } from './commits';
import { type BranchName, branchRef, type RefName, type Sha, shaOf, type TagName, tagRef, zeroSha } from './names';
import { describeObjects, type ObjectType, objectSha } from './objects';
import { GitCommandError, type GitOptions, gitText, type Repository, runGit } from './run-git';

/** A ref and what it points at; `commit` is the commit a tag peels to (`undefined` for a tag of a tree or blob). */
export interface Ref {
  ref: RefName;
  sha: Sha;
  type: ObjectType;
  commit: Sha | undefined;
}

const refFormat = '%(refname)%00%(objectname)%00%(objecttype)%00%(*objectname)%00%(*objecttype)';

function parseRefs(text: string): Ref[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ref, sha, type, peeled, peeledType] = line.split('\0');
      const commit = type === 'commit' ? sha : peeledType === 'commit' ? peeled : undefined;
      return { ref: ref as RefName, sha: sha as Sha, type: type as ObjectType, commit: commit as Sha | undefined };
    });
}

/** The refs of these exact names that exist, in one process, in no particular order. */
export async function readRefs(
  repo: Repository,
  refs: readonly RefName[],
  options: GitOptions = {},
): Promise<Map<RefName, Ref>> {
  const wanted = new Set(refs);
  const found = new Map<RefName, Ref>();
  // The patterns are arguments; a thousand of them stay well under the system's limit.
  for (let at = 0; at < refs.length; at += 500) {
    const text = await gitText(
      repo,
      ['for-each-ref', `--format=${refFormat}`, '--', ...refs.slice(at, at + 500)],
      options,
    );
    for (const ref of parseRefs(text)) if (wanted.has(ref.ref)) found.set(ref.ref, ref);
  }
  return found;
}

/** One ref by its full name; `undefined` when there is none. */
export async function getRef(repo: Repository, ref: RefName, options: GitOptions = {}): Promise<Ref | undefined> {
  return (await readRefs(repo, [ref], options)).get(ref);
}

/** Every ref under the prefixes (`refs/heads/`, `refs/merge-requests/12/`), by name. */
export async function listRefs(
  repo: Repository,
  prefixes: readonly string[],
  options: GitOptions = {},
): Promise<Ref[]> {
  return parseRefs(await gitText(repo, ['for-each-ref', `--format=${refFormat}`, '--', ...prefixes], options));
}

/**
 * Tags of commits whose names begin with `prefix`, the newest `limit` of them.
 * @param mergedInto those alone that this commit or its ancestors have
 */
export async function tagsBeginningWith(
  repo: Repository,
  prefix: string,
  { mergedInto, limit }: { readonly mergedInto: Sha | undefined; readonly limit: number },
  options: GitOptions = {},
): Promise<{ name: TagName; commit: Sha }[]> {
  const root = 'refs/tags/';
  // Git would read it as a pattern; no ref has one of these signs in its name.
  if (/[*?[\\]/.test(prefix)) return [];
  const merged = mergedInto === undefined ? [] : [`--merged=${mergedInto}`];
  const bounds = [`--count=${limit}`, '--sort=-creatordate', ...merged];
  const pattern = `${root}${prefix}*`;
  const text = await gitText(repo, ['for-each-ref', `--format=${refFormat}`, ...bounds, '--', pattern], options);
  return parseRefs(text).flatMap(({ ref, commit }) =>
    commit === undefined ? [] : [{ name: ref.slice(root.length) as TagName, commit }],
  );
}

/** A page of names: those after `after`, at most `limit`. */
export interface RefPage {
  /** GitLab's search: contains, or begins with `^term`, or ends with `term$`; letter case is ignored. */
  search?: string;
  /** `name` (default), or by date of the commit (for tags: of the tag). */
  sort?: 'name_asc' | 'name_desc' | 'updated_asc' | 'updated_desc';
  /** Name of the last item already seen. */
  after?: string;
  /** Items already seen, for offset paging; ignored when `after` is given. */
  offset?: number;
  /** Items in the page; default 20. */
  limit?: number;
}

/** A page and the number of items that match in all. */
export interface Page<T> {
  items: T[];
  total: number;
  /** `after` of the next page, `undefined` on the last. */
  next: string | undefined;
}

/** A branch with the commit it points at. */
export interface Branch {
  name: BranchName;
  ref: RefName;
  sha: Sha;
  commit: Commit;
}

/** A tag: annotated when `message` is set; `commit` is missing for a tag of a tree or a blob. */
export interface Tag {
  name: TagName;
  ref: RefName;
  /** The tag object, or the commit itself for a lightweight tag. */
  target: Sha;
  commit: Commit | undefined;
  message: string | undefined;
  /** When the annotated tag was made. */
  createdAt: Date | undefined;
}

function matcher(search: string | undefined): (name: string) => boolean {
  if (search === undefined || search === '') return () => true;
  const begins = search.startsWith('^');
  const ends = search.endsWith('$');
  const term = search.slice(begins ? 1 : 0, ends ? -1 : undefined).toLowerCase();
  return (name) => {
    const folded = name.toLowerCase();
    if (begins && ends) return folded === term;
    return begins ? folded.startsWith(term) : ends ? folded.endsWith(term) : folded.includes(term);
  };
}

const sortKeys = {
  name_asc: 'refname',
  name_desc: '-refname',
  // As seconds: git dies where it formats a date before 1970 in its own zone, or one too large, and anyone may push those.
  // By `v:`, since git 2.44 compares a formatted date as text.
  updated_asc: 'v:creatordate:unix',
  updated_desc: '-v:creatordate:unix',
} as const;

async function pageOfNames<Name extends string>(
  repo: Repository,
  prefix: string,
  page: RefPage,
  options: GitOptions,
): Promise<Page<Ref & { name: Name }>> {
  const sort = sortKeys[page.sort ?? 'name_asc'];
  // Keys apply last to first, so the name settles equal dates in the same order everywhere.
  const text = await gitText(
    repo,
    ['for-each-ref', '--sort=refname', `--sort=${sort}`, `--format=${refFormat}`, '--', prefix],
    options,
  );
  const matches = matcher(page.search);
  const all = parseRefs(text)
    .map((ref) => ({ ...ref, name: ref.ref.slice(prefix.length) as Name }))
    .filter((ref) => matches(ref.name));
  const seen = page.after === undefined ? (page.offset ?? 0) : afterName(all, page.after, page.sort ?? 'name_asc');
  const items = all.slice(seen, seen + (page.limit ?? 20));
  return { items, total: all.length, next: seen + items.length < all.length ? items.at(-1)?.name : undefined };
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

// The named ref may be deleted by now; by name its place is still known, by date the list starts again.
function afterName(all: readonly { name: string }[], after: string, sort: NonNullable<RefPage['sort']>): number {
  const at = all.findIndex(({ name }) => name === after);
  if (at >= 0) return at + 1;
  if (sort === 'updated_asc' || sort === 'updated_desc') return 0;
  const direction = sort === 'name_asc' ? 1 : -1;
  const next = all.findIndex(({ name }) => compareBytes(name, after) * direction > 0);
  return next < 0 ? all.length : next;
}

/** Branches with their commits: two processes for any page. */
export async function listBranches(
  repo: Repository,
  page: RefPage = {},
  options: GitOptions = {},
): Promise<Page<Branch>> {
  const found = await pageOfNames<BranchName>(repo, 'refs/heads/', page, options);
  const commits = await readCommits(repo, [...new Set(found.items.map(({ sha }) => sha))], options);
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  const items = found.items.flatMap(({ name, ref, sha }) => {
    const commit = byId.get(sha);
    return commit ? [{ name, ref, sha, commit }] : [];
  });
  return { ...found, items };
}

/** One branch with its commit. */
export async function getBranch(
  repo: Repository,
  name: BranchName,
  options: GitOptions = {},
): Promise<Branch | undefined> {
  const found = await getRef(repo, branchRef(name), options);
  const [commit] = found ? await readCommits(repo, [found.sha], options) : [];
  return found && commit ? { name, ref: found.ref, sha: found.sha, commit } : undefined;
}

async function tagsOf(
  repo: Repository,
  refs: readonly (Ref & { name: TagName })[],
  options: GitOptions,
): Promise<Tag[]> {
  const commits = await readCommits(repo, [...new Set(refs.flatMap(({ commit }) => commit ?? []))], options);
  const byId = new Map(commits.map((commit) => [commit.id, commit]));
  const annotated = refs.filter(({ type }) => type === 'tag').map(({ ref }) => ref);
  const details = new Map<string, { message: string; createdAt: Date | undefined }>();
  if (annotated.length > 0) {
    const format = '%(refname)%00%(taggerdate:raw)%00%(contents)%00';
    const fields = (await gitText(repo, ['for-each-ref', `--format=${format}`, '--', ...annotated], options)).split(
      '\0',
    );
    for (let at = 0; at + 3 <= fields.length; at += 3) {
      const written = fields[at + 1];
      const createdAt = written ? rawTime(written).date : undefined;
      details.set(fields[at]!.replace(/^\n/, ''), { message: fields[at + 2]!.replace(/\n$/, ''), createdAt });
    }
  }
  return refs.map(({ name, ref, sha, commit }) => ({
    name,
    ref,
    target: sha,
    commit: commit && byId.get(commit),
    message: details.get(ref)?.message,
    createdAt: details.get(ref)?.createdAt,
  }));
}

/** Tags with messages and commits: at most three processes for any page. */
export async function listTags(repo: Repository, page: RefPage = {}, options: GitOptions = {}): Promise<Page<Tag>> {
  const found = await pageOfNames<TagName>(repo, 'refs/tags/', page, options);
  return { ...found, items: await tagsOf(repo, found.items, options) };
}

/** The tags of these names that exist, with messages and commits: a constant number of processes up to 500 names. */
export async function readTags(
  repo: Repository,
  names: readonly TagName[],
  options: GitOptions = {},
): Promise<Map<TagName, Tag>> {
  const found = await readRefs(repo, names.map(tagRef), options);
  const refs = names.flatMap((name) => {
    const ref = found.get(tagRef(name));
    return ref === undefined ? [] : [{ ...ref, name }];
  });
  return new Map((await tagsOf(repo, refs, options)).map((tag) => [tag.name, tag]));
}

/** One tag with its message and commit. */
export async function getTag(repo: Repository, name: TagName, options: GitOptions = {}): Promise<Tag | undefined> {
  const found = await getRef(repo, tagRef(name), options);
  return found ? (await tagsOf(repo, [{ ...found, name }], options))[0] : undefined;
}

/**
 * One move of a ref. `old` is what it must point at now ({@link zeroSha}: must not exist), `new` what it shall ({@link
 * zeroSha}: nothing).
 */
export interface RefUpdate {
  ref: RefName;
  old: Sha;
  new: Sha;
}

/** A compare-and-swap found another value than `old`; nothing was changed. Leaves as `conflict`. */
export class RefMovedError extends AppError {
  constructor(
    readonly ref: RefName,
    readonly expected: Sha,
    /** What the ref points at instead, {@link zeroSha} when it is deleted. */
    readonly actual: Sha,
  ) {
    super('conflict', `${ref} has changed`);
    this.name = 'RefMovedError';
  }
}

// No update-ref lives longer than its time-out, so a lock file of this age belongs to a process that was killed.
const staleLockMs = 60_000;

async function removeStaleLock(stderr: string): Promise<boolean> {
  const path = /Unable to create '([^'\n]+\.lock)': File exists/.exec(stderr)?.[1];
  if (path === undefined) return false;
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => undefined,
  );
  if (age === undefined || age < staleLockMs) return age === undefined;
  await rm(path, { force: true });
  return true;
}

/**
 * Moves refs by compare-and-swap, all in one transaction: either every ref moves or none. Throws {@link RefMovedError}
 * when one is not at its `old` value, `conflict` when a name cannot exist next to an existing one (`a` and `a/b`),
 * `unprocessable` when an object is missing or no commit where a branch needs one, `unavailable` when another process
 * holds a ref for longer than three seconds.
 */
export async function updateRefs(
  repo: Repository,
  updates: readonly RefUpdate[],
  options: GitOptions = {},
): Promise<void> {
  if (updates.length === 0) return;
  const lines = updates.map(({ ref, old, new: next }) =>
    next === zeroSha
      ? `delete ${ref}\0${old}\0`
      : old === zeroSha
        ? `create ${ref}\0${next}\0`
        : `update ${ref}\0${next}\0${old}\0`,
  );
  const input = `start\0${lines.map((line) => `option no-deref\0${line}`).join('')}prepare\0commit\0`;
  const attempt = () =>
    runGit(repo, ['update-ref', '--stdin', '-z'], {
      timeoutMs: 30_000,
      ...options,
      input,
      okCodes: [0, 1, 128],
      holdsLocks: true,
    });
  let result = await attempt();
  if (result.code !== 0 && (await removeStaleLock(result.stderr))) result = await attempt();
  if (result.code === 0) return;
  await explainFailure(repo, updates, result, options);
}

async function explainFailure(
  repo: Repository,
  updates: readonly RefUpdate[],
  { code, stderr }: { code: number; stderr: string },
  options: GitOptions,
): Promise<never> {
  const now = await readRefs(
    repo,
    updates.map(({ ref }) => ref),
    options,
  );
  for (const { ref, old } of updates) {
    const actual = now.get(ref)?.sha ?? zeroSha;
    if (actual !== old) throw new RefMovedError(ref, old, actual);
  }
  if (/; cannot create '|cannot process '[^']*' and/.test(stderr)) {
    throw conflict('A branch or tag name cannot be the beginning of another');
  }
  if (/nonexistent object|non-commit object|not a valid SHA1/.test(stderr)) {
    throw new AppError('unprocessable', 'The object does not exist or is not a commit', { cause: stderr });
  }
  const locked = /cannot lock ref '([^']+)': (?:is at ([0-9a-f]{40})|reference already exists|unable to resolve)/.exec(
    stderr,
  );
  const update = updates.find(({ ref }) => ref === locked?.[1]);
  if (update) throw new RefMovedError(update.ref, update.old, shaOf(locked?.[2] ?? '') ?? zeroSha);
  if (/\.lock': File exists/.test(stderr)) throw unavailable(stderr);
  throw new GitCommandError('update-ref', code, stderr);
}

/** True when `ancestor` is `descendant` or can be reached from it. */
export async function isAncestor(
  repo: Repository,
  ancestor: Sha,
  descendant: Sha,
  options: GitOptions = {},
): Promise<boolean> {
  if (ancestor === descendant) return true;
  const { code } = await runGit(repo, ['merge-base', '--is-ancestor', '--end-of-options', ancestor, descendant], {
    ...options,
    okCodes: [0, 1],
  });
  return code === 0;
}

/** The best common ancestor; `undefined` for histories without one. */
export async function mergeBase(
  repo: Repository,
  one: Sha,
  other: Sha,
  options: GitOptions = {},
): Promise<Sha | undefined> {
  if (one === other) return one;
  const { stdout } = await runGit(repo, ['merge-base', '--end-of-options', one, other], {
    ...options,
    okCodes: [0, 1],
  });
  return shaOf(stdout.toString('latin1').trim());
}

/** Commits of `head` that `base` lacks (`ahead`), and the other way round (`behind`). */
export async function aheadBehind(
  repo: Repository,
  base: Sha,
  head: Sha,
  options: GitOptions = {},
): Promise<{ ahead: number; behind: number }> {
  if (base === head) return { ahead: 0, behind: 0 };
  const text = await gitText(
    repo,
    ['rev-list', '--left-right', '--count', '--end-of-options', `${base}...${head}`, '--'],
    options,
  );
  const [behind = 0, ahead = 0] = text.trim().split('\t').map(Number);
  return { ahead, behind };
}

/** True when the commit is in the repository. */
export async function commitExists(repo: Repository, sha: Sha, options: GitOptions = {}): Promise<boolean> {
  return (await describeObjects(repo, [sha], options))[0]?.type === 'commit';
}

/**
 * The branches or tags the commit can be reached from.
 * @param more single refs to look at besides
 */
export async function refsContaining(
  repo: Repository,
  sha: Sha,
  kind: 'branch' | 'tag',
  more: readonly RefName[] = [],
  options: GitOptions = {},
): Promise<RefName[]> {
  const prefix = kind === 'branch' ? 'refs/heads/' : 'refs/tags/';
  const text = await gitText(
    repo,
    ['for-each-ref', `--contains=${sha}`, '--format=%(refname)', '--', prefix, ...more],
    options,
  );
  return text.split('\n').filter((line) => line !== '') as RefName[];
}

/** Of these refs, those whose commits `target` has. One process. */
export async function mergedRefs(
  repo: Repository,
  target: Sha,
  refs: readonly RefName[],
  options: GitOptions = {},
): Promise<Set<RefName>> {
  if (refs.length === 0) return new Set();
  const text = await gitText(
    repo,
    ['for-each-ref', `--merged=${target}`, '--format=%(refname)', '--', ...refs],
    options,
  );
  const merged = new Set(text.split('\n'));
  return new Set(refs.filter((ref) => merged.has(ref)));
}

/** Of these branches, those whose commits `target` has. One process. */
export async function mergedBranches(
  repo: Repository,
  target: Sha,
  names: readonly BranchName[],
  options: GitOptions = {},
): Promise<Set<BranchName>> {
  const merged = await mergedRefs(repo, target, names.map(branchRef), options);
  return new Set(names.filter((name) => merged.has(branchRef(name))));
}

/** The message as a tag object holds it: without NUL, ended by one line feed. */
export const tagMessage = (message: string): string => message.replaceAll('\0', '').replace(/(?<!\n)\n*$/, '\n');

/** Stores an annotated tag object for a commit; returns its id, to be given a ref by {@link updateRefs}. */
export async function writeTag(
  repo: Repository,
  input: { name: TagName; target: Sha; tagger: Signature; message: string },
  options: GitOptions = {},
): Promise<Sha> {
  const text = tagMessage(input.message);
  const content = `object ${input.target}\ntype commit\ntag ${input.name}\ntagger ${signatureLine(input.tagger)}\n\n${text}`;
  await runGit(repo, ['hash-object', '-t', 'tag', '-w', '--stdin'], { ...options, input: content });
  return objectSha({ type: 'tag', content: Buffer.from(content) });
}
