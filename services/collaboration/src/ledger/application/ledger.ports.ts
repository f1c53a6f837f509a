import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Viewer } from '@switchyard/directory';
import type { LedgerRow } from '../domain/ledger-entry';
import type { SentEntry } from '../domain/sent-entry';
import type { FoundTarget } from '../domain/wanted-target';

/** The part of the ledger that groups-admin keeps. */
export interface SentEntries {
  /** Entries of a project before a place, newest first, at most `limit`. */
  ofProject(
    projectId: number,
    wanted: {
      readonly objectKey: string;
      readonly before: { readonly at: Date; readonly id: number } | undefined;
      readonly limit: number;
    },
  ): Promise<SentEntry[]>;
}

/** Which entries of a user. */
export interface OwnFilter {
  readonly target?: FoundTarget | undefined;
  readonly after?: Date | undefined;
  readonly before?: Date | undefined;
}

/** The part of the ledger that this service keeps. */
export interface LedgerList {
  /** Entries of a user, newest first, without those that would say of something which they may not read: one statement. */
  own(viewer: Viewer, filter: OwnFilter, request: PageRequest): Promise<{ rows: LedgerRow[]; page: PageInfo }>;
  /** Entries of a project before a place, newest first. */
  ofProject(
    projectId: number,
    wanted: {
      readonly target: FoundTarget | undefined;
      readonly before: { readonly at: Date; readonly id: number } | undefined;
      readonly limit: number;
    },
  ): Promise<LedgerRow[]>;
  /** The newest entries of a user about a target. @param viewer the user, for whom it is read; undefined: for others */
  about(userId: number, target: FoundTarget, viewer: Viewer | undefined): Promise<LedgerRow[]>;
}
