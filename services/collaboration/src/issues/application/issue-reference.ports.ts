import type { PageInfo, PageRequest, SqlExecutor } from '@switchyard/database';
import type { Viewer } from '@switchyard/directory';
import type { IssueLink, LinkedMergeRequest } from '../domain/issue-link';
import type { ReferringProject } from '../domain/issue-project';

/** What merge requests name. */
export interface IssueLinks {
  /** Puts `links` in the place of what the merge request named before. */
  replace(tx: SqlExecutor, mergeRequest: LinkedMergeRequest, links: readonly IssueLink[]): Promise<void>;
  /** Stores whether a merge request is closed. */
  setClosed(tx: SqlExecutor, mergeRequest: LinkedMergeRequest): Promise<void>;
  /** Forgets what a merge request names. */
  remove(tx: SqlExecutor, mergeRequestId: number): Promise<void>;
  /**
   * The open issues that a merge request closes when it lands, by id: everybody locks them in this order. Where issues
   * are off, none.
   */
  closedBy(tx: SqlExecutor, mergeRequestId: number): Promise<{ id: number; projectId: number }[]>;
  /** The open issues of these numbers, by id. Where issues are off, none. */
  open(
    tx: SqlExecutor,
    numbers: readonly { readonly projectId: number; readonly iid: number }[],
  ): Promise<{ id: number; projectId: number }[]>;
}

/** The directory within the transaction of an event's effect. */
export interface ReferenceDirectory {
  /** The level of an actor, 0 to 50, in a project they can see; undefined where they cannot. */
  levelIn(tx: SqlExecutor, viewer: Viewer, projectId: number): Promise<number | undefined>;
  /** A user as who may act now; undefined for one who is gone or blocked. */
  actingUser(tx: SqlExecutor, userId: number): Promise<Viewer | undefined>;
  /** A project that is there; undefined for one that is gone. */
  project(tx: SqlExecutor, id: number): Promise<ReferringProject | undefined>;
  /**
   * Id of the project that a text of `from` names as ``, `project` or `group/project`; undefined when there is none.
   */
  referenced(tx: SqlExecutor, from: ReferringProject, path: string): Promise<number | undefined>;
}

/** Reads the merge requests that name issues. */
export interface IssueMergeRequestList {
  /**
   * One page of ids of those the viewer may read, in the order in which they were opened; `closing`: of those that
   * close it, or did.
   */
  page(
    issue: { projectId: number; iid: number },
    closing: boolean,
    viewer: Viewer,
    request: PageRequest,
  ): Promise<{ ids: number[]; page: PageInfo }>;
}
