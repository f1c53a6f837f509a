import type { PageInfo, PageRequest, Tx } from '@switchyard/database';
import type { DirectoryTx, Viewer } from '../../directory';
import type { ProjectChange } from '../domain/project';
import type { HomeRow, LockedProject, NewProject, ProjectFilter, ProjectRow, PushNote } from '../domain/project-row';

/** Projects in the database. */
export interface ProjectStore {
  /** One project with what the viewer has to do with it. */
  find(id: number, viewer: Viewer): Promise<ProjectRow | undefined>;
  /** A page of projects the viewer may see. */
  list(viewer: Viewer, filter: ProjectFilter, request: PageRequest): Promise<{ rows: ProjectRow[]; page: PageInfo }>;
  /** Own namespace of a user; 0 when they have none. */
  ownNamespace(userId: number): Promise<number>;
  /** Id of a user by id or username; undefined when there is none. */
  findUser(idOrUsername: string): Promise<number | undefined>;
  /** Id of a namespace by id or full path; 0 for none. */
  findNamespace(idOrPath: string): Promise<number>;
  /** A namespace, locked against other projects, groups and settings coming in; undefined when there is none. */
  lockHome(tx: Tx, namespaceId: number, userId: number): Promise<HomeRow | undefined>;
  /** Which of name and path a namespace has already, in projects and, for the path, in groups. */
  taken(
    tx: Tx,
    namespaceId: number,
    wanted: { name: string | undefined; path: string | undefined; except?: number },
  ): Promise<{ name: boolean; path: boolean }>;
  /** Inserts a project; returns its id. */
  insert(tx: DirectoryTx, project: NewProject): Promise<number>;
  /** Notes a push: the time, where it is a minute later than the last one noted, and the README of the default branch. */
  pushed(tx: Tx, id: number, push: PushNote): Promise<void>;
  /** Locks a project and says where it is; undefined when it is gone. */
  lock(tx: Tx, id: number): Promise<LockedProject | undefined>;
  /** Changes columns of a project. */
  change(tx: DirectoryTx, id: number, change: ProjectChange): Promise<void>;
  /** Keeps the full path a project has now as a redirect (G-1-7). */
  redirect(tx: Tx, id: number): Promise<void>;
  /** Puts a project into another namespace. */
  move(tx: DirectoryTx, id: number, namespaceId: number): Promise<void>;
  /** Sets or clears the archive flag. */
  archive(tx: DirectoryTx, id: number, archived: boolean): Promise<void>;
  /** Marks a project for deletion; one that is marked stays as it is. */
  mark(tx: DirectoryTx, id: number): Promise<void>;
}
