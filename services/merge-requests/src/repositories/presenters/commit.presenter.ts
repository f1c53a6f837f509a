import type { Commit, Diff, FileDiff } from '../../git';
import { dateTime } from './text';

/** Where a repository is seen from outside. */
export interface RepositoryAddress {
  /** Externally visible base URL, without a slash at its end. */
  readonly externalUrl: string;
  /** Full path of the project. */
  readonly fullPath: string;
}

/** Web address of a page of the repository: `commit/<sha>`, `tree/<branch>`. */
export const repositoryUrl = ({ externalUrl, fullPath }: RepositoryAddress, page: string): string =>
  `${externalUrl}/${fullPath}/-/${page}`;

// An author may write any name into a trailer; one that an object already has must not reach its prototype.
const record = <T>(entries: Iterable<readonly [string, T]>): Record<string, T> => Object.fromEntries(entries);

function extendedTrailers(trailers: Commit['trailers']): Record<string, string[]> {
  const all = new Map<string, string[]>();
  for (const [key, value] of trailers) all.set(key, [...(all.get(key) ?? []), value]);
  return record(all);
}

/** A commit as lists and other objects show it. */
export const commitObject = (commit: Commit, address: RepositoryAddress, { trailers = true } = {}) => ({
  id: commit.id,
  short_id: commit.shortId,
  created_at: dateTime(commit.committedAt),
  parent_ids: commit.parents,
  title: commit.title,
  message: commit.message,
  author_name: commit.authorName,
  author_email: commit.authorEmail,
  authored_date: dateTime(commit.authoredAt),
  committer_name: commit.committerName,
  committer_email: commit.committerEmail,
  committed_date: dateTime(commit.committedAt),
  trailers: trailers ? record(commit.trailers) : {},
  extended_trailers: trailers ? extendedTrailers(commit.trailers) : {},
  web_url: repositoryUrl(address, `commit/${commit.id}`),
  ...(commit.stats === undefined ? {} : { stats: commit.stats }),
});

/** The newest pipeline of a commit, as the commit shows it (G-2-12). */
export interface CommitPipeline {
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
  readonly sha: string;
  readonly ref: string;
  readonly status: string;
  readonly source: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const pipelineObject = (pipeline: CommitPipeline, address: RepositoryAddress) => ({
  id: pipeline.id,
  iid: pipeline.iid,
  project_id: pipeline.projectId,
  sha: pipeline.sha,
  ref: pipeline.ref,
  status: pipeline.status,
  source: pipeline.source,
  created_at: dateTime(pipeline.createdAt),
  updated_at: dateTime(pipeline.updatedAt),
  web_url: repositoryUrl(address, `pipelines/${pipeline.id}`),
});

/** A commit asked for by itself. */
export const commitDetail = (
  commit: Commit,
  pipeline: CommitPipeline | undefined,
  projectId: number,
  address: RepositoryAddress,
) => ({
  ...commitObject(commit, address),
  project_id: projectId,
  status: pipeline?.status ?? null,
  last_pipeline: pipeline === undefined ? null : pipelineObject(pipeline, address),
});

/** A file of a comparison (G-4.2-12). */
export const diffObject = (file: FileDiff) => ({
  diff: file.diff,
  collapsed: file.collapsed,
  too_large: file.tooLarge,
  new_path: file.newPath,
  old_path: file.oldPath,
  a_mode: file.aMode,
  b_mode: file.bMode,
  new_file: file.newFile,
  renamed_file: file.renamedFile,
  deleted_file: file.deletedFile,
  generated_file: file.generatedFile,
});

/** Two refs compared; the commits oldest first, `commit` the newest of them. */
export const comparisonObject = (
  {
    commits,
    diff,
    sameRef,
    from,
    to,
    straight,
  }: {
    commits: readonly Commit[];
    diff: Diff;
    sameRef: boolean;
    from: string;
    to: string;
    straight: boolean;
  },
  address: RepositoryAddress,
) => {
  const rendered = commits.map((commit) => commitObject(commit, address));
  return {
    commit: rendered.at(-1) ?? null,
    commits: rendered,
    diffs: diff.files.map(diffObject),
    compare_timeout: diff.overflow,
    compare_same_ref: sameRef,
    web_url: repositoryUrl(
      address,
      `compare/${encodeURIComponent(from)}${straight ? '..' : '...'}${encodeURIComponent(to)}`,
    ),
  };
};
