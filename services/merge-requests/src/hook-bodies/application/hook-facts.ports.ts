import type { DirectoryProjectRow, LabelRow, UserRow } from '@switchyard/directory';
import type { HookJob, PushHappening } from '../domain/hook-event';
import type { HookMergeRequestView, ProtectedNames, ReadCommits } from '../domain/hook-facts';

/** The present state that hook bodies name, each read by one statement for any number of ids. */
export interface HookStore {
  users(ids: Iterable<number>): Promise<ReadonlyMap<number, UserRow>>;
  /** Projects that are alive. */
  projects(ids: Iterable<number>): Promise<ReadonlyMap<number, DirectoryProjectRow>>;
  labels(ids: Iterable<number>): Promise<ReadonlyMap<number, LabelRow>>;
  /** Two statements. */
  mergeRequests(ids: readonly number[]): Promise<ReadonlyMap<number, HookMergeRequestView>>;
  /** The newest 100 jobs of each pipeline, without those that were started again; the oldest first. */
  jobs(pipelineIds: readonly number[]): Promise<ReadonlyMap<number, readonly HookJob[]>>;
  protectedNames(projectIds: readonly number[]): Promise<ReadonlyMap<number, ProtectedNames>>;
}

/** Commits of one project that are wanted. */
export interface WantedCommits {
  readonly projectId: number;
  readonly pushes: readonly PushHappening[];
  readonly shas: readonly string[];
  /** Names of tags. */
  readonly tags: readonly string[];
}

/** Reads commits of some projects, within some seconds. */
export type CommitReader = (wanted: readonly WantedCommits[]) => Promise<readonly ReadCommits[]>;
