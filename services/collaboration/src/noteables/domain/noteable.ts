import { levels } from '@switchyard/rights';

/** Kinds of noteables, by their public name (G-2-16). */
export type NoteableKind = 'MergeRequest' | 'Issue' | 'Snippet' | 'Commit' | 'AlertManagement::Alert' | 'Epic';

/** What a kind allows. */
export interface NoteableRules {
  /** What a 404 calls it. */
  readonly thing: string;
  /** Notes on it print `noteable_iid` (G-2-15). */
  readonly printsIid: boolean;
  /** Threads on it can be resolved (G-4.7-8). */
  readonly resolvable: boolean;
  /** Threads on it that wait to be resolved are counted for its owner (D8). */
  readonly countsThreads: boolean;
  /** Threads on it may stand at a line of a diff (G-4.7-3). */
  readonly diffs: boolean;
  /** Internal notes may be written on it (G-4.6-3). */
  readonly internal: boolean;
  /** A body that is one emoji becomes a reaction (G-4.6-8). */
  readonly reactions: boolean;
  /** Least level of those who edit and delete the notes of others (G-4.6-6). */
  readonly editorLevel: number;
}

/** Everything in which kinds differ; a new kind is one row here and one resolver in compose.ts of notes. */
export const noteableRules: Record<NoteableKind, NoteableRules> = {
  MergeRequest: {
    thing: 'Merge request',
    printsIid: true,
    resolvable: true,
    countsThreads: true,
    diffs: true,
    internal: true,
    reactions: true,
    editorLevel: levels.maintainer,
  },
  Issue: {
    thing: 'Issue',
    printsIid: true,
    resolvable: true,
    countsThreads: false,
    diffs: false,
    internal: true,
    reactions: true,
    editorLevel: levels.maintainer,
  },
  Snippet: {
    thing: 'Snippet',
    printsIid: false,
    resolvable: false,
    countsThreads: false,
    diffs: false,
    internal: false,
    reactions: true,
    editorLevel: levels.maintainer,
  },
  Commit: {
    thing: 'Commit',
    printsIid: false,
    resolvable: false,
    countsThreads: false,
    diffs: true,
    internal: false,
    reactions: false,
    editorLevel: levels.maintainer,
  },
  'AlertManagement::Alert': {
    thing: 'Alert',
    printsIid: true,
    resolvable: false,
    countsThreads: false,
    diffs: false,
    internal: false,
    reactions: false,
    editorLevel: levels.maintainer,
  },
  Epic: {
    thing: 'Epic',
    printsIid: false,
    resolvable: true,
    countsThreads: false,
    diffs: false,
    internal: true,
    reactions: true,
    editorLevel: levels.owner,
  },
};

/** A noteable as its owner knows it. */
export interface Noteable {
  readonly kind: NoteableKind;
  /** 0 for an epic. */
  readonly projectId: number;
  /** Group of an epic; undefined for every other kind. */
  readonly groupId?: number;
  /** Id at its owner; 0 for a commit. */
  readonly targetId: number;
  /** Number within the project or group; undefined where there is none. */
  readonly iid: number | undefined;
  /** Full sha of a commit; empty otherwise. */
  readonly sha: string;
  /** First parent of a commit; undefined for every other kind. */
  readonly parentSha?: string;
  /** Newest commit of a merge request whose source branch exists; undefined for every other kind. */
  readonly headSha?: string;
  readonly authorId: number;
  readonly assigneeIds: readonly number[];
  readonly title: string;
  readonly webUrl: string;
  /** `opened`, `closed` …; empty where there is none. */
  readonly state: string;
  /** Not every user who reads the project may see it. */
  readonly confidential: boolean;
  /** Only members of the project may comment. */
  readonly locked: boolean;
}

/** What names a noteable in its project or group. */
export type NoteableRef =
  | {
      readonly kind: 'MergeRequest' | 'Issue' | 'AlertManagement::Alert';
      readonly projectId: number;
      readonly iid: number;
    }
  | { readonly kind: 'Snippet'; readonly projectId: number; readonly id: number }
  | { readonly kind: 'Commit'; readonly projectId: number; readonly revision: string }
  | {
      readonly kind: 'Epic';
      readonly groupId: number;
      readonly epic: { readonly id: number } | { readonly iid: number };
    };

/** The part of a noteable under which its notes are kept. */
export type NoteableKey = Pick<Noteable, 'kind' | 'projectId' | 'targetId' | 'sha'>;

/**
 * Whether somebody sees internal notes (G-4.6-9).
 * @param reader their access level in the project or group, 0 to 50, and whether they are an administrator
 */
export const seesInternal = (reader: { readonly level: number; readonly admin: boolean }): boolean =>
  reader.admin || reader.level >= levels.reporter;
