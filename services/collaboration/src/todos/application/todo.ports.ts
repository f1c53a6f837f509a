import type { PageInfo, PageRequest, SqlExecutor } from '@switchyard/database';
import type { Viewer } from '@switchyard/directory';
import type { Target } from '../../targets';
import type { EndedMembership, EndedShare, Raise, RequestedAccess, TodoFilter } from '../domain/todo';
import type { TodoRow } from '../domain/todo-row';

/** Reads to-dos that their user can still read the targets of. */
export interface TodoList {
  /** One page, newest first: one statement, and a capped count with offset paging. */
  page(viewer: Viewer, filter: TodoFilter, request: PageRequest): Promise<{ rows: TodoRow[]; page: PageInfo }>;
  /** One of them by id; undefined for someone else's. */
  find(viewer: Viewer, id: number): Promise<TodoRow | undefined>;
}

/** To-dos as rows: how they come, are done, and go. */
export interface TodoStore {
  /**
   * Raises to-dos for those recipients who can read the target; they are done for users who are known to have acted
   * there since. A to-do that was pending then is requested again. A deleted target gets none. Events may arrive in any
   * order: the same to-dos result, since each call gets the time of its event.
   * @param at when the event happened
   */
  raise(tx: SqlExecutor, target: Target, raise: readonly Raise[], at: Date): Promise<void>;
  /**
   * Marks the to-dos of one user on a target as done, also those whose events arrive later.
   * @param at when the user acted: requests of that time or later stay
   */
  resolve(tx: SqlExecutor, target: Target, userId: number, at: Date): Promise<void>;
  /** Removes the to-dos that came from a note. */
  removeNote(tx: SqlExecutor, noteId: number): Promise<void>;
  /**
   * Removes the to-dos of a user whose membership ended, in its project or the projects of its group and those that
   * are shared with the group, whose targets they may no longer read. The directory here must know that the membership has ended.
   */
  removeLost(tx: SqlExecutor, ended: EndedMembership): Promise<void>;
  /** The same for the members of a group with which something was shared, in what was shared. */
  removeUnshared(tx: SqlExecutor, ended: EndedShare): Promise<void>;
  /** Removes every to-do on a target, for good. */
  removeTarget(tx: SqlExecutor, target: Target): Promise<void>;
  /**
   * Marks all that is pending for a user on a target as done by hand, and what was asked before now and is not known
   * yet.
   */
  finish(tx: SqlExecutor, target: Target, userId: number): Promise<void>;
  /** Makes a to-do by hand; undefined when the user has a pending one on the target. Returns its id. */
  mark(userId: number, target: Target): Promise<number | undefined>;
  /** Marks one to-do of a user as done; a done one stays as it is. */
  markDone(userId: number, id: number): Promise<void>;
  /** Marks all pending to-dos of a user that a filter selects as done. */
  markAllDone(userId: number, filter: TodoFilter): Promise<void>;
  /** Removes up to `limit` to-dos of users and projects that are gone; returns how many. */
  removeOrphans(limit: number): Promise<number>;
  /**
   * Forgets removed targets after 60 days, when no event about them can come any more: dead letters are kept for 28.
   */
  forgetRemovedTargets(): Promise<void>;
  /** Forgets up to `limit` acts after 60 days, for the same reason; returns how many. */
  forgetActs(limit: number): Promise<number>;
}

/** To-dos of the users who decide on access requests: one for each request, until it ends. */
export interface AccessRequestTodos {
  /**
   * Raises them for the Owners of a group, or the Owners and Maintainers of a project, at most 1,000; none when the
   * request is known to have ended.
   */
  raise(tx: SqlExecutor, request: RequestedAccess, at: Date): Promise<void>;
  /** Marks them as done: the request has ended. Events of one request may arrive in any order. */
  resolve(tx: SqlExecutor, request: RequestedAccess, at: Date): Promise<void>;
}

/** The part of the store that follows events. */
export type TodoEffects = Pick<
  TodoStore,
  'raise' | 'resolve' | 'removeTarget' | 'removeNote' | 'removeLost' | 'removeUnshared'
>;
