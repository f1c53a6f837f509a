import { maxCountedFiles, unlessTooMany } from './changed-files';
import { emptyTreeSha, type Sha, type TreePath } from './names';
import { type NewObject, objectSha, writeObjects } from './objects';
import { type GitOptions, gitText, type Repository, runGit } from './run-git';

/** Who made a commit, and when, with the offset they wrote it under. */
export interface Signature {
  name: string;
  email: string;
  date: Date;
  /** Minutes east of UTC; default 0. */
  offset?: number;
}

/** Lines a commit adds and removes against its first parent. */
export interface LineStats {
  additions: number;
  deletions: number;
  total: number;
}

/** A commit. */
export interface Commit {
  id: Sha;
  /** The first eight digits of the id. */
  shortId: string;
  tree: Sha;
  parents: Sha[];
  /** First line of the message. */
  title: string;
  /** The whole message, byte for byte where it is UTF-8. */
  message: string;
  authorName: string;
  authorEmail: string;
  authoredAt: Date;
  /** `authoredAt` as written, `2024-01-31T08:39:14+01:00`. */
  authoredAtText: string;
  committerName: string;
  committerEmail: string;
  committedAt: Date;
  committedAtText: string;
  /** Trailers in order, keys repeated as written. */
  trailers: [key: string, value: string][];
  /**
   * Set when asked for, unless the commits asked for change more files than are counted (`maxCountedFiles` of
   * changed-files.ts).
   */
  stats?: LineStats;
}

const trailerFormat = '%(trailers:only,unfold,separator=%x01,key_value_separator=%x02)';
const fields = ['%H', '%T', '%P', '%an', '%ae', '%ad', '%cn', '%ce', '%cd', '%B', trailerFormat];
const logFormat = `--format=tformat:${fields.join('%x00')}`;

const lastSecond = 253_402_200_000;

/**
 * A time as git prints it raw, `1706690354 +0100`. The ISO forms are not requested: at one commit before 1970 in its
 * own zone, which any user may push, git ends with an error. What is no time at all, or beyond the year 9999, becomes
 * 1970.
 */
export function rawTime(text: string): { date: Date; text: string } {
  const [, digits = '0', sign = '+', zone = ''] = /^(\d+) ([+-])(\d+)$/.exec(text) ?? [];
  const seconds = Number(digits) <= lastSecond ? Number(digits) : 0;
  // Old tools wrote zones such as +051800, which say nothing.
  const [hours, minutes] = /^(?:0\d|1[0-4])[0-5]\d$/.test(zone) ? [zone.slice(0, 2), zone.slice(2)] : ['00', '00'];
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19);
  return { date: new Date(seconds * 1000), text: `${local}${sign}${hours}:${minutes}` };
}

function parseLog(text: string): Commit[] {
  const values = text.split('\0');
  const commits: Commit[] = [];
  for (let at = 0; at + fields.length <= values.length; at += fields.length) {
    const [id, tree, parents, an, ae, ad, cn, ce, cd, message, trailers] = values.slice(at, at + fields.length) as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const authored = rawTime(ad);
    const committed = rawTime(cd);
    commits.push({
      id: id as Sha,
      shortId: id.slice(0, 8),
      tree: tree as Sha,
      parents: parents === '' ? [] : (parents.split(' ') as Sha[]),
      title: message.split('\n', 1)[0] ?? '',
      message,
      authorName: an,
      authorEmail: ae,
      authoredAt: authored.date,
      authoredAtText: authored.text,
      committerName: cn,
      committerEmail: ce,
      committedAt: committed.date,
      committedAtText: committed.text,
      trailers: trailers
        .split('\x01')
        .filter((line) => line.includes('\x02'))
        .map((line) => {
          const [key = '', value = ''] = line.split('\x02');
          return [key, value];
        }),
    });
  }
  return commits;
}

/** Commits by id, one process for all, in the order given; ids that name no commit are left out. */
export async function readCommits(repo: Repository, shas: readonly Sha[], options: GitOptions = {}): Promise<Commit[]> {
  if (shas.length === 0) return [];
  const args = [
    'log',
    '-z',
    '--no-walk=unsorted',
    '--ignore-missing',
    '--encoding=UTF-8',
    '--date=raw',
    logFormat,
    '--stdin',
  ];
  return parseLog(await gitText(repo, args, { ...options, input: `${shas.join('\n')}\n` }));
}

/** One commit; `undefined` when the id names none. */
export async function readCommit(
  repo: Repository,
  sha: Sha,
  options: GitOptions & { withStats?: boolean } = {},
): Promise<Commit | undefined> {
  const [commit] = await readCommits(repo, [sha], options);
  return commit && options.withStats ? (await withStats(repo, [commit], options))[0] : commit;
}

/** Which commits a list holds. */
export interface CommitQuery {
  /** Commits reachable from any of these … */
  from?: readonly Sha[];
  /** … and from none of these. */
  not?: readonly Sha[];
  /** `from` has two, and commits that can be reached from both are left out. */
  symmetric?: boolean;
  /** Everything reachable from a branch or tag; `from` is then ignored. */
  all?: boolean;
  /** Only commits that change this file or folder. */
  path?: TreePath;
  /** Committed at or after. */
  since?: Date;
  /** Committed at or before. */
  until?: Date;
  /** Text within author name or e-mail; letter case is ignored. */
  author?: string;
  firstParent?: boolean;
  /** Children before parents, whatever their dates. */
  topological?: boolean;
}

// git reads written dates after 2099 as today, and these two options as 32-bit seconds.
const ageArgument = (date: Date): number => Math.min(Math.max(Math.floor(date.getTime() / 1000), 0), 2 ** 31 - 1);

function queryArguments(query: CommitQuery): { args: string[]; input: string } {
  const args: string[] = [];
  if (query.since) args.push(`--max-age=${ageArgument(query.since)}`);
  if (query.until) args.push(`--min-age=${ageArgument(query.until)}`);
  if (query.author) args.push('--fixed-strings', '--regexp-ignore-case', `--author=${query.author}`);
  if (query.firstParent) args.push('--first-parent');
  if (query.topological) args.push('--topo-order');
  if (query.all) args.push('--branches', '--tags');
  const from = query.symmetric ? [(query.from ?? []).join('...')] : (query.from ?? []);
  const revisions = [...(query.all ? [] : from), ...(query.not ?? []).map((sha) => `^${sha}`)];
  return { args: [...args, '--stdin', ...(query.path ? ['--', query.path] : [])], input: `${revisions.join('\n')}\n` };
}

/** Commits, newest first: one process, two with `withStats`. `limit` defaults to 20. */
export async function listCommits(
  repo: Repository,
  query: CommitQuery & { skip?: number; limit?: number; withStats?: boolean },
  options: GitOptions = {},
): Promise<Commit[]> {
  if (!query.all && (query.from ?? []).length === 0) return [];
  const { args, input } = queryArguments(query);
  const page = [`--max-count=${query.limit ?? 20}`, `--skip=${query.skip ?? 0}`];
  const commits = parseLog(
    await gitText(repo, ['log', '-z', '--encoding=UTF-8', '--date=raw', logFormat, ...page, ...args], {
      ...options,
      input,
    }),
  );
  return query.withStats ? withStats(repo, commits, options) : commits;
}

/** Bytes of an id and the end of its line. */
const lineBytes = 41;

/** How many commits a query holds; counting stops at `cap` (default 10,001). */
export async function countCommits(
  repo: Repository,
  query: CommitQuery & { cap?: number },
  options: GitOptions = {},
): Promise<number> {
  if (!query.all && (query.from ?? []).length === 0) return 0;
  const { args, input } = queryArguments(query);
  return Number(
    await gitText(repo, ['rev-list', '--count', `--max-count=${query.cap ?? 10_001}`, ...args], { ...options, input }),
  );
}

/**
 * The newest commits of a query, at most `limit`, and how many it holds; counting stops at `cap`. A commit that is unknown
 * adds and excludes nothing.
 */
export async function nameAndCountCommits(
  repo: Repository,
  query: CommitQuery & { limit: number; cap: number },
  options: GitOptions = {},
): Promise<{ ids: Sha[]; count: number }> {
  if (!query.all && (query.from ?? []).length === 0) return { ids: [], count: 0 };
  const { args, input } = queryArguments(query);
  const list = ['rev-list', '--ignore-missing', `--max-count=${query.cap}`, ...args];
  const { stdout } = await runGit(repo, list, { ...options, input });
  // Cut before it is text: parts of a text keep the whole of it in memory.
  const named = stdout.toString('latin1', 0, query.limit * lineBytes).split('\n');
  return { ids: named.filter((line) => line !== '') as Sha[], count: stdout.length / lineBytes };
}

/** Ids of commits, newest first, at most `limit`. A commit that is unknown adds and excludes nothing. */
export const listCommitIds = async (
  repo: Repository,
  query: CommitQuery & { limit: number },
  options: GitOptions = {},
): Promise<Sha[]> => (await nameAndCountCommits(repo, { ...query, cap: query.limit }, options)).ids;

async function withStats(repo: Repository, commits: readonly Commit[], options: GitOptions): Promise<Commit[]> {
  const pairs = commits.map(({ id, parents }) => ({ from: parents[0] ?? emptyTreeSha, to: id }));
  const most = maxCountedFiles;
  const counted = await unlessTooMany(repo, pairs, { most }, (bounded) => readStats(repo, commits, bounded), options);
  if ('value' in counted) return commits.map((commit) => ({ ...commit, stats: counted.value.get(commit.id) }));
  // As many as the files allow, in their order; one that is too large by itself holds up none of the others.
  let left = most;
  const within = commits.filter((_, at) => {
    const files = counted.changes[at]!.total;
    if (files > left) return false;
    left -= files;
    return true;
  });
  const stats = await readStats(repo, within, options);
  return commits.map((commit) => ({ ...commit, stats: stats.get(commit.id) }));
}

async function readStats(
  repo: Repository,
  commits: readonly Commit[],
  options: GitOptions,
): Promise<Map<string, LineStats>> {
  const none = { additions: 0, deletions: 0, total: 0 };
  const stats = new Map<string, LineStats>(commits.map(({ id }) => [id, none]));
  if (commits.length === 0) return stats;
  // `<commit> <parent>` compares a merge with its first parent alone.
  const input = commits.map(({ id, parents }) => (parents[0] ? `${id} ${parents[0]}\n` : `${id}\n`)).join('');
  const text = await gitText(repo, ['diff-tree', '--stdin', '--root', '-r', '-M', '--shortstat', '--always'], {
    ...options,
    input,
  });
  let current = '';
  for (const line of text.split('\n')) {
    if (/^[0-9a-f]{40}$/.test(line)) current = line;
    else if (line.startsWith(' ')) {
      const additions = Number(/(\d+) insertion/.exec(line)?.[1] ?? 0);
      const deletions = Number(/(\d+) deletion/.exec(line)?.[1] ?? 0);
      stats.set(current, { additions, deletions, total: additions + deletions });
    }
  }
  return stats;
}

/** A commit to be written. An author given as bytes is taken over unchanged from another commit. */
export interface NewCommit {
  tree: Sha;
  parents: readonly Sha[];
  author: Signature | Buffer;
  committer: Signature;
  message: string | Buffer;
  /** The `encoding` header of a message that is not UTF-8. */
  encoding?: string;
}

// The characters git itself trims from the ends of a name, and those it drops everywhere.
const clean = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly what git drops.
  text.replace(/[<>\n\0]/g, '').replace(/^[\x00-\x20.,:;"'\\]+|(?<![\x00-\x20.,:;"'\\])[\x00-\x20.,:;"'\\]+$/g, '');

/** `name <email> seconds offset` as a commit holds it. A name with nothing left in it becomes the e-mail address. */
export function signatureLine({ name, email, date, offset = 0 }: Signature): string {
  const address = clean(email);
  const minutes = Math.abs(offset);
  const zone = `${offset < 0 ? '-' : '+'}${String(Math.floor(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`;
  return `${clean(name) || address || 'unknown'} <${address}> ${Math.max(0, Math.floor(date.getTime() / 1000))} ${zone}`;
}

/** The commit object; the same input gives the same bytes on every machine. */
export function commitObject(commit: NewCommit): NewObject {
  const author = Buffer.isBuffer(commit.author) ? commit.author : Buffer.from(signatureLine(commit.author));
  const message = Buffer.isBuffer(commit.message) ? commit.message : Buffer.from(messageText(commit.message));
  const head = [`tree ${commit.tree}`, ...commit.parents.map((parent) => `parent ${parent}`), 'author '].join('\n');
  const tail = `\ncommitter ${signatureLine(commit.committer)}\n${commit.encoding ? `encoding ${commit.encoding}\n` : ''}\n`;
  return { type: 'commit', content: Buffer.concat([Buffer.from(head), author, Buffer.from(tail), message]) };
}

// A commit object cannot hold NUL in its message: every reader would stop there.
function messageText(message: string): string {
  const text = message.replaceAll('\0', '').replace(/\r\n/g, '\n');
  return text.endsWith('\n') || text === '' ? text : `${text}\n`;
}

/** Stores a commit; returns its id. Its tree and parents must be there. */
export async function writeCommit(repo: Repository, commit: NewCommit, options: GitOptions = {}): Promise<Sha> {
  const object = commitObject(commit);
  await runGit(repo, ['hash-object', '-t', 'commit', '-w', '--stdin'], { ...options, input: object.content });
  return objectSha(object);
}

/** Stores commits that may build on each other; returns their ids. One process. */
export async function writeCommits(
  repo: Repository,
  commits: readonly NewCommit[],
  options: GitOptions = {},
): Promise<Sha[]> {
  const objects = commits.map(commitObject);
  await writeObjects(repo, objects, options);
  return objects.map(objectSha);
}

/** The parts of a stored commit that a rewritten one takes over unchanged. */
export interface RawCommit {
  tree: Sha;
  parents: Sha[];
  author: Buffer;
  encoding: string | undefined;
  message: Buffer;
}

/** Reads a commit object without touching its bytes. */
export function parseRawCommit(content: Buffer): RawCommit {
  const end = content.indexOf('\n\n');
  const header = end < 0 ? content : content.subarray(0, end);
  const raw: RawCommit = {
    tree: '' as Sha,
    parents: [],
    author: Buffer.alloc(0),
    encoding: undefined,
    message: end < 0 ? Buffer.alloc(0) : content.subarray(end + 2),
  };
  let at = 0;
  while (at < header.length) {
    const stop = header.indexOf(10, at);
    const line = header.subarray(at, stop < 0 ? header.length : stop);
    at += line.length + 1;
    const space = line.indexOf(32);
    const key = line.toString('latin1', 0, Math.max(0, space));
    const value = line.subarray(space + 1);
    if (key === 'tree') raw.tree = value.toString('latin1') as Sha;
    else if (key === 'parent') raw.parents.push(value.toString('latin1') as Sha);
    else if (key === 'author') raw.author = value;
    else if (key === 'encoding') raw.encoding = value.toString('latin1');
  }
  return raw;
}
