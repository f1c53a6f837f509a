import type { Viewer } from '@switchyard/directory';
import type { ProjectMergeSettings } from '../domain/merge-request';

/** What merge requests need of a project. */
export interface MergeProject {
  readonly id: number;
  readonly fullPath: string;
  readonly archived: boolean;
  readonly settings: ProjectMergeSettings;
}

/** The directory as the rules of merge requests read it. */
export interface MergeRequestDirectory {
  /** A project that is alive; undefined for others. */
  project(id: number): Promise<MergeProject | undefined>;
  /** Those of `ids` who may read the project's merge requests, in the order given. */
  readers(projectId: number, ids: readonly number[]): Promise<number[]>;
  /** True when the project may use this milestone. */
  hasMilestone(projectId: number, id: number): Promise<boolean>;
  /** A user's access in a project now; for work done later in their name. `gone`: deleted or blocked. */
  accessOf(userId: number, projectId: number): Promise<{ level: number; admin: boolean; gone: boolean }>;
  /** Addresses of a user, in lower case. */
  emailsOf(userId: number): Promise<ReadonlySet<string>>;
  /** True for the users of access tokens and of the instance: no person is behind them. */
  isBot(userId: number): Promise<boolean>;
  /** Those of `projectIds` whose merge requests an actor may read. */
  readableProjects(viewer: Viewer, projectIds: readonly number[]): Promise<Set<number>>;
}
