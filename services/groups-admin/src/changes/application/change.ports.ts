import type { Tx } from '@switchyard/database';
import type { HookBody, RenderedHookBodies } from '@switchyard/protos/rpc/v1/hook_body';
import type { Change } from '../domain/change';
import type { RightsOfReader } from '../domain/change-rights';
import type { FeedScope, PrintedChange, Stretch } from '../domain/feed';
import type { Owner, PendingChange } from '../domain/pending-change';

/** Events that wait, by owner. */
export interface PendingChanges {
  /** Adds an event, in the transaction of the inbox. */
  add(tx: Tx, owner: Owner, event: Omit<PendingChange, 'id' | 'tries'>): Promise<void>;
  /**
   * Takes or prolongs the lease on the events of an owner: `idle` where none waits, `held` while another process has it.
   * @param leaseMs how long it lasts
   */
  lease(owner: Owner, holder: string, leaseMs: number): Promise<'taken' | 'held' | 'idle'>;
  /** Gives the lease back. */
  release(holder: string): Promise<void>;
  /** The oldest events of an owner after the event `after`, at most `limit`, but for those of projects that rest. */
  oldest(owner: Owner, after: number, limit: number): Promise<readonly PendingChange[]>;
  /** Counts a failure of an event. */
  failed(id: number): Promise<void>;
  /** Moves an event to those that were passed over. */
  passOver(owner: Owner, event: PendingChange, reason: string): Promise<void>;
  /** Deletes events in `tx`; false when not all of them were there: another process has worked them off. */
  take(tx: Tx, ids: readonly number[]): Promise<boolean>;
  /** Lets projects rest: their events wait until `wake`. @param away by project, the part of the owner that is away */
  rest(tx: Tx, owner: Owner, away: ReadonlyMap<number, string>): Promise<void>;
  /** Parts of an owner for which projects rest, each with the oldest event that waits for it; undefined where none does. */
  resting(owner: Owner): Promise<readonly { readonly away: string; readonly event: PendingChange | undefined }[]>;
  /** Ends the rest of all projects that wait for a part of an owner. */
  wake(owner: Owner, away: string): Promise<void>;
  /** Events that wait, and the age of the oldest in seconds, by owner. */
  backlog(): Promise<readonly { owner: string; count: number; age: number }[]>;
}

/** The owner did not answer in time: it is overloaded, or the events take too long. */
export class RenderedTooLate extends Error {}

/** Renders events; at most 100. @throws AppError unavailable while the owner is away; RenderedTooLate */
export type RenderHookBodies = (events: readonly PendingChange[]) => Promise<readonly RenderedHookBodies[]>;

/** Changes with their places. */
export interface Changes {
  /** Gives bodies their places, and stores them. */
  append(tx: Tx, bodies: readonly HookBody[]): Promise<readonly Change[]>;
  /** Deletes what is older than `keepDays` days, at most `limit` positions; returns how many. */
  prune(keepDays: number, limit: number): Promise<number>;
  /** Deletes what was passed over before `keepDays` days. */
  prunePassedOver(keepDays: number): Promise<void>;
  /** Calls `wake` after changes were stored, by any process. */
  onChange(wake: () => void): () => void;
}

/** Reads of the feed. */
export interface ChangeList {
  /** The changes of a scope after a position, at most `limit`, in one statement. */
  stretch(scope: FeedScope, after: number | undefined, limit: number): Promise<Stretch>;
  /** Newest position of the instance. */
  head(): Promise<number>;
  /** Changes by position, in order. */
  bodies(positions: readonly number[]): Promise<readonly PrintedChange[]>;
}

/** Rights of a reader in projects and groups, in one statement. */
export type ReadRights = (
  reader: { readonly userId: number; readonly admin: boolean; readonly external: boolean },
  targets: { readonly projects: readonly number[]; readonly groups: readonly number[] },
) => Promise<RightsOfReader>;
