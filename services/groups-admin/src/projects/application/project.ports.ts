import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { StoredAvatar } from '../../avatars';
import type { Viewer } from '../../directory';
import type { ProjectChangeRequest, ProjectCreation, ProjectDecision, ProjectFacts } from '../domain/project-change';
import type { LockedProject, ProjectExtras, ProjectFilter, ProjectRow, PushRecord } from '../domain/project-row';

/** Projects in the database; each change is one transaction with its events and directory changes. */
export interface ProjectStore {
  /** One project with what the viewer has to do with it. */
  find(id: number, viewer: Viewer, extras?: ProjectExtras): Promise<ProjectRow | undefined>;
  /** A page of projects the viewer may see. */
  list(
    viewer: Viewer,
    filter: ProjectFilter,
    request: PageRequest,
    extras?: ProjectExtras,
  ): Promise<{ rows: ProjectRow[]; page: PageInfo }>;
  /** Own namespace of a user; 0 when they have none. */
  ownNamespace(userId: number): Promise<number>;
  /** Id of a user by id or username; undefined when there is none. */
  findUser(idOrUsername: string): Promise<number | undefined>;
  /** Id of a project by id or full path; 0 for none, and for one that is marked for deletion. */
  findId(idOrPath: string): Promise<number>;
  /** Id of a namespace by id or full path; 0 for none. */
  findNamespace(idOrPath: string): Promise<number>;
  /**
   * Locks a namespace, decides and inserts the project; returns its id.
   * @param request.userId whose level in the namespace is read
   * @throws AppError invalid for a taken name or path; what `decide` throws
   */
  create(
    request: {
      readonly namespaceId: number;
      readonly userId: number;
      readonly actorId: number;
      readonly name: string;
      readonly path: string;
      readonly avatar?: StoredAvatar | null | undefined;
    },
    decide: (facts: ProjectFacts) => ProjectCreation,
  ): Promise<number>;
  /**
   * Locks a project, decides and saves; false when there is no such project, or its purge has begun.
   * @throws AppError invalid for a taken name or path; precondition_failed; what `decide` throws
   */
  change(
    request: ProjectChangeRequest,
    decide: (project: LockedProject, facts: ProjectFacts) => ProjectDecision,
  ): Promise<boolean>;
  /**
   * Records a push: its time, if it is a minute after the last recorded one, and the README of the default branch.
   * Within the transaction that consumes the event.
   */
  pushed(tx: Tx, id: number, push: PushRecord): Promise<void>;
}
