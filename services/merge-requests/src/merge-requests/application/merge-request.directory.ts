import type { Viewer } from '@switchyard/directory';
import type { ProjectMergeSettings } from '../domain/merge-request';

/** What merge requests need of a project. */
export interface MergeProject {
  readonly id: number;
  readonly fullPath: string;
  readonly archived: boolean;
  /** `private`, `internal` or `public`. */
  readonly visibility: string;
  readonly settings: ProjectMergeSettings;
}

/** A project as the target of a merge request from another one, for a viewer who sees it. */
export interface TargetProject {
  /** Whether the viewer reads its code and its merge requests, and so may open one there. */
  readonly opens: boolean;
  /** Whether both belong to one network of forks. */
  readonly related: boolean;
  /** Level of the viewer in it, 0 to 50. */
  readonly level: number;
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
  /** A project as the target of a merge request from another; undefined when the viewer does not see it. */
  target(
    viewer: Viewer,
    branches: { readonly projectId: number; readonly sourceProjectId: number },
  ): Promise<TargetProject | undefined>;
  /** Whether both projects are alive and belong to one network of forks. */
  areRelated(oneId: number, otherId: number): Promise<boolean>;
  /**
   * The project that a fork's merge requests go into where nothing else is said: the one it was forked from, where the
   * viewer may open merge requests there; undefined for a fork that is its own target (`mr_default_target_self`).
   */
  upstreamOf(viewer: Viewer, projectId: number): Promise<number | undefined>;
  /** Id of a living project by its full path, without regard to case. */
  projectIdByPath(path: string): Promise<number | undefined>;
  /** Those of `projectIds` whose merge requests an actor may read. */
  readableProjects(viewer: Viewer, projectIds: readonly number[]): Promise<Set<number>>;
}
