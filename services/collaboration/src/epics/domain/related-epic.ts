import type { EpicView } from './epic-view';

/** How an epic stands to another one. */
export type RelatedLinkType = 'relates_to' | 'blocks' | 'is_blocked_by';

/** A link of two epics as it is stored. */
export interface RelatedLink {
  readonly id: number;
  readonly sourceId: number;
  readonly targetId: number;
  readonly linkType: 'relates_to' | 'blocks';
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Another epic, and how the first one stands to it. */
export interface RelatedEpic {
  readonly view: EpicView;
  readonly link: RelatedLink;
}

/** A link with both of its epics. */
export interface LinkedEpics {
  readonly link: RelatedLink;
  readonly source: EpicView;
  readonly target: EpicView;
}

/** A link of `own` and `other` as it is stored: what is blocked is the target. */
export const storedLink = (
  own: number,
  other: number,
  type: RelatedLinkType,
): Pick<RelatedLink, 'sourceId' | 'targetId' | 'linkType'> =>
  type === 'is_blocked_by'
    ? { sourceId: other, targetId: own, linkType: 'blocks' }
    : { sourceId: own, targetId: other, linkType: type };

/** How the epic `own` of a link stands to the other one. */
export const linkTypeFor = (own: number, { sourceId, linkType }: RelatedLink): RelatedLinkType =>
  linkType === 'blocks' && sourceId !== own ? 'is_blocked_by' : linkType;

/** What names a link: its id, or both of its epics, in either direction. */
export type LinkKey = { readonly id: number } | { readonly between: readonly [number, number] };
