import { isAppError } from '@switchyard/errors';
import { logger } from '@switchyard/telemetry';
import {
  type Commit,
  compareTrees,
  describeObjects,
  emptyTreeSha,
  GitCommandError,
  type GitOptions,
  listCommits,
  type Repository,
  readCommits,
  repositoryExists,
  type Sha,
  shaOf,
  tagNameOf,
  tagRef,
} from '../../git';
import { commitsNamed, type PushHappening } from '../domain/hook-event';
import type { PushedCommit, ReadCommits } from '../domain/hook-facts';
import type { CommitReader, WantedCommits } from './hook-facts.ports';

/** Files of each kind that a body names of one commit, at the most. */
const namedFiles = 200;
/** Milliseconds for the commits of one batch: bodies without them are better than bodies that never come. */
const timeoutMs = 5_000;
/** Projects that are read at the same time. */
const projectsAtOnce = 4;

const shasOf = (texts: readonly string[]): Sha[] => texts.flatMap((text) => shaOf(text) ?? []);

/** What repositories refuse, or do not have any more: of those the bodies are rendered without their commits. */
const isMissing = (error: unknown, signal: AbortSignal): boolean =>
  error instanceof GitCommandError || isAppError(error, 'not_found', 'too_large', 'request_timeout') || signal.aborted;

async function newCommits(repo: Repository, push: PushHappening, options: GitOptions): Promise<Commit[]> {
  const commits = await listCommits(
    repo,
    { from: shasOf([push.after]), not: shasOf([push.since ?? '']), limit: commitsNamed(push) },
    options,
  );
  return commits.reverse();
}

/** The files that commits change against their first parents: one process. */
async function changedFiles(
  repo: Repository,
  commits: readonly Commit[],
  options: GitOptions,
): Promise<Map<string, Omit<PushedCommit, 'commit'>>> {
  const pairs = commits.map(({ id, parents }) => ({ from: parents[0] ?? emptyTreeSha, to: id }));
  const changes = pairs.length === 0 ? [] : await compareTrees(repo, pairs, namedFiles, options);
  return new Map(
    commits.map(({ id }, at) => {
      const files = changes[at]?.first ?? [];
      const named = (which: (before?: string, after?: string) => boolean) =>
        files.filter(({ before, after }) => which(before, after)).map(({ path }) => path);
      return [
        id,
        {
          added: named((before) => before === undefined),
          modified: named((before, after) => before !== undefined && after !== undefined),
          removed: named((_, after) => after === undefined),
        },
      ];
    }),
  );
}

/** The commits that tags point at, by the name of the tag: one process. */
async function commitsOfTags(
  repo: Repository,
  tags: readonly string[],
  options: GitOptions,
): Promise<Map<string, Sha>> {
  const names = tags.flatMap((tag) => tagNameOf(tag) ?? []);
  const objects = await describeObjects(
    repo,
    names.map((name) => `${tagRef(name)}^{commit}`),
    options,
  );
  return new Map(names.flatMap((name, at) => [objects[at]?.sha ?? []].flat().map((sha) => [name, sha])));
}

/** Runs git for what may be missing: then `without`. */
async function orWithout<T>(work: () => Promise<T>, without: T, signal: AbortSignal): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isMissing(error, signal)) throw error;
    logger.warn({ err: error }, 'a hook body is rendered without its commits');
    return without;
  }
}

async function readProject(
  repo: Repository,
  { projectId, pushes, shas, tags }: WantedCommits,
  signal: AbortSignal,
): Promise<ReadCommits> {
  // That of a deleted project is purged while its last events are on their way.
  if (!(await repositoryExists(repo))) return { projectId, pushed: new Map(), commits: new Map(), tags: new Map() };
  const options: GitOptions = { signal };
  const lists = new Map<string, Commit[]>();
  for (const push of pushes) {
    lists.set(push.eventId, await orWithout(() => newCommits(repo, push, options), [], signal));
  }
  const named = [...new Map([...lists.values()].flat().map((commit) => [commit.id, commit])).values()];
  const tagged = await orWithout(() => commitsOfTags(repo, tags, options), new Map<string, Sha>(), signal);
  const [files, shown] = await Promise.all([
    orWithout(() => changedFiles(repo, named, options), new Map<string, Omit<PushedCommit, 'commit'>>(), signal),
    orWithout(() => readCommits(repo, [...new Set([...shasOf(shas), ...tagged.values()])], options), [], signal),
  ]);
  const commits = new Map<string, Commit>(shown.map((commit) => [commit.id, commit]));
  const none = { added: [], modified: [], removed: [] };
  const withFiles = (commit: Commit): PushedCommit => ({ commit, ...(files.get(commit.id) ?? none) });
  return {
    projectId,
    pushed: new Map([...lists].map(([eventId, commits]) => [eventId, commits.map(withFiles)])),
    commits,
    tags: new Map([...tagged].flatMap(([tag, sha]) => [commits.get(sha) ?? []].flat().map((commit) => [tag, commit]))),
  };
}

/** Reads commits for hook bodies. @throws AppError unavailable while there is no place for git */
export const readPushedCommits =
  (repositoryOf: (projectId: number) => Promise<Repository>): CommitReader =>
  async (wanted) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const read: ReadCommits[] = [];
    const left = [...wanted];
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        read.push(await readProject(await repositoryOf(next.projectId), next, signal));
      }
    };
    await Promise.all(Array.from({ length: Math.min(projectsAtOnce, left.length) }, work));
    return read;
  };
