import { archiveKinds } from '../../project-exports';
import type { ImportAuthor } from '../../project-imports';

/** How an import stands (G-3-4); the last three end it. */
export type ArchiveImportStatus = 'scheduled' | 'started' | 'finished' | 'failed' | 'canceled';

/** An import that is asked for. */
export interface NewArchiveImport {
  /** Names it to the other services: a UUID. */
  readonly key: string;
  readonly author: ImportAuthor;
  /** From which it was asked for; empty where that is not known, undefined for one that an older release took. */
  readonly address: string | undefined;
  /** Id of the public request that began it. */
  readonly requestId: string;
  /** Id or full path; empty for that of the author. */
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  /** Settings that stand above those of the archive, by name. */
  readonly overrides: Readonly<Record<string, unknown>>;
  readonly blob: string;
  /** Bytes. */
  readonly size: number;
}

/** Where an import goes on. */
export interface ImportPlace {
  /** Index in `importStages`. */
  readonly stage: number;
  /** The page that is read next, from 1. */
  readonly page: number;
}

/** What of an archive was left out. */
export interface LeftOut {
  readonly item: string;
  readonly reason: string;
}

/** An import that a process works on until its lease ends. */
export interface ArchiveImportLease {
  readonly id: number;
  readonly import: NewArchiveImport;
  /** Undefined until it is made. */
  readonly projectId: number | undefined;
  readonly place: ImportPlace;
  readonly lease: string;
  /** Which try this is since it last got on, from 1. */
  attempt: number;
  /** Pauses while a service was away, since it last got on. */
  pauses: number;
}

/** Kinds of records, in the order of an archive, but for the project itself. */
const kinds = archiveKinds.filter(({ kind }) => kind !== 'project');

type ArchiveKind = (typeof archiveKinds)[number];

/** What a stage does. */
export type ImportStage =
  | { readonly does: 'check' | 'repository' | 'uploads' }
  | { readonly does: 'records'; readonly kind: ArchiveKind['kind']; readonly owner: ArchiveKind['owner'] };

const records = ({ kind, owner }: ArchiveKind): ImportStage => ({ does: 'records', kind, owner });
const isOfGroupsAdmin = ({ owner }: ArchiveKind): boolean => owner === 'groups-admin';

/**
 * Stages in their order. The archive is read to its end before anything is written. The settings of the project come last:
 * until then it is private, and its merge rules stop nothing.
 */
export const importStages: readonly ImportStage[] = [
  { does: 'check' },
  ...kinds.filter(isOfGroupsAdmin).map(records),
  { does: 'repository' },
  ...kinds.filter((one) => !isOfGroupsAdmin(one)).map(records),
  { does: 'uploads' },
  ...archiveKinds.filter(({ kind }) => kind === 'project').map(records),
];

/** Tries in a row that did not get on, after which an import fails. */
export const maxAttempts = 12;

/** Pauses in a row that do not count as tries: a day of them, at five minutes each. */
export const maxPauses = 288;
