import type { Mentions } from '@switchyard/texts';
import { requireUnmodified } from '../../noteables';
import type { Epic, EpicDates } from './epic';
import type { RelatedLinkType } from './related-epic';

/** One field before and after an edit, as the event reports it. */
export interface EpicFieldChange {
  readonly field: string;
  readonly old: string;
  readonly new: string;
}

/** What happened to an epic; becomes an event in the transaction of the change (D6). */
export type EpicFact =
  | { readonly kind: 'created'; readonly mentions: Mentions; readonly parentId: number | undefined }
  | {
      readonly kind: 'updated';
      readonly addedLabelIds: readonly number[];
      readonly removedLabelIds: readonly number[];
      readonly mentions: Mentions;
      /** Public names. */
      readonly changedFields: readonly string[];
      readonly changes: readonly EpicFieldChange[];
      /** The beginning of it, where it changed. */
      readonly oldDescription?: string | undefined;
    }
  | { readonly kind: 'closed' }
  | { readonly kind: 'reopened' }
  | { readonly kind: 'deleted' }
  | {
      readonly kind: 'linked' | 'unlinked';
      readonly linkId: number;
      /** How this epic stands to the other one. */
      readonly linkType: RelatedLinkType;
      readonly other: Pick<Epic, 'id' | 'iid' | 'groupId'>;
    };

/** An epic and the labels on it, locked. */
export interface LockedEpic {
  readonly epic: Epic;
  readonly labelIds: readonly number[];
}

/** Fields that a change may set; `null` clears. */
export type EpicPatch = {
  readonly [F in keyof Pick<
    Epic,
    | 'title'
    | 'description'
    | 'state'
    | 'confidential'
    | 'color'
    | 'closedById'
    | 'closedAt'
    | 'updatedAt'
    | keyof EpicDates
  >]?: NonNullable<Epic[F]> | null;
};

/** An edit of an epic, saved with its events in one transaction. */
export interface EpicChange {
  readonly patch: EpicPatch;
  readonly labelIds?: readonly number[];
  /** The epic that it comes to stand below; null: below none. */
  readonly parentId?: number | null | undefined;
  readonly participants?: readonly number[];
  readonly facts: readonly EpicFact[];
}

/** An epic to be opened. */
export interface NewEpic extends EpicDates {
  readonly groupId: number;
  readonly authorId: number;
  readonly title: string;
  readonly description: string | undefined;
  readonly confidential: boolean;
  readonly color: string;
  readonly labelIds: readonly number[];
  readonly mentions: Mentions;
  /** The epic that it stands below. */
  readonly parentId: number | undefined;
  /** Undefined: now. */
  readonly createdAt: Date | undefined;
}

/** An epic is deleted with everything on it. */
export interface EpicDeletion {
  readonly deletes: true;
  readonly facts: readonly EpicFact[];
}

/** The result of a decision about a locked epic; undefined changes nothing. */
export type EpicDecision = EpicChange | EpicDeletion | undefined;

/**
 * Deletes an epic.
 * @throws AppError precondition_failed when it changed after `unmodifiedSince`
 */
export function decideDeletion({ epic }: LockedEpic, unmodifiedSince: Date | undefined): EpicDeletion {
  requireUnmodified(epic, unmodifiedSince);
  return { deletes: true, facts: [{ kind: 'deleted' }] };
}
