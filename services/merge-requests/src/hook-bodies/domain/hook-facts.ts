import type { DirectoryProjectRow, LabelRow, UserRow } from '@switchyard/directory';
import type { Commit } from '../../git';
import type { MergeRequestView } from '../../merge-requests';
import type { HookJob } from './hook-event';

/** A merge request as it is now, and what only hooks say of it. */
export interface HookMergeRequestView {
  readonly view: MergeRequestView;
  /** Whether its author had nothing merged into the project before. */
  readonly firstContribution: boolean;
  /** Where the reviews stand, by reviewer. */
  readonly reviews: ReadonlyMap<number, string>;
}

/** Names of the rules on branches and tags of a project, with wildcards. */
export interface ProtectedNames {
  readonly branches: readonly string[];
  readonly tags: readonly string[];
}

/** A commit that a push brought, and the files that it changes against its first parent. */
export interface PushedCommit {
  readonly commit: Commit;
  readonly added: readonly string[];
  readonly modified: readonly string[];
  readonly removed: readonly string[];
}

/** What git says of the commits of one project; what is not there, or takes too long to read, is missing. */
export interface ReadCommits {
  readonly projectId: number;
  /** New commits of each push, by the id of its event; the oldest first. */
  readonly pushed: ReadonlyMap<string, readonly PushedCommit[]>;
  readonly commits: ReadonlyMap<string, Commit>;
  /** Commits of tags, by the name of the tag. */
  readonly tags: ReadonlyMap<string, Commit>;
}

/** Everything that the bodies of some events name. */
export interface HookFacts {
  readonly users: ReadonlyMap<number, UserRow>;
  readonly projects: ReadonlyMap<number, DirectoryProjectRow>;
  readonly labels: ReadonlyMap<number, LabelRow>;
  readonly mergeRequests: ReadonlyMap<number, HookMergeRequestView>;
  readonly jobs: ReadonlyMap<number, readonly HookJob[]>;
  readonly protectedNames: ReadonlyMap<number, ProtectedNames>;
  readonly commits: ReadonlyMap<number, ReadCommits>;
}
