import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Viewer } from '@switchyard/directory';
import { forbidden, invalid, notFound } from '@switchyard/errors';
import type { IssueCaller } from '../../issues';
import type { EpicView } from '../domain/epic-view';
import {
  type LinkedEpics,
  type LinkKey,
  type RelatedEpic,
  type RelatedLink,
  type RelatedLinkType,
  storedLink,
} from '../domain/related-epic';
import type { EpicEdges, EpicNumber } from './epic.ports';
import { managedEpic } from './epic-issues';
import { namedEpic, visibleEpic } from './read-epic';

/** Links of epics to each other. */
export interface RelatedEpicStore {
  /** One page of the other epics of an epic's links, as far as the viewer sees them: one statement and one count. */
  page(epicId: number, viewer: Viewer, request: PageRequest): Promise<{ rows: RelatedEpic[]; page: PageInfo }>;
  /** The link with an id, or that of two epics. */
  find(key: LinkKey): Promise<RelatedLink | undefined>;
  /**
   * Links two epics, with an event of each, in one transaction.
   * @throws AppError conflict when they are linked in either direction; not_found when one is gone
   */
  create(link: Pick<RelatedLink, 'sourceId' | 'targetId' | 'linkType'>, actorId: number): Promise<RelatedLink>;
  /** Takes a link away, with an event of each of its epics; false when it is gone already. */
  remove(link: RelatedLink, actorId: number): Promise<boolean>;
}

/** What the use cases of related epics work with. */
export interface RelatedEpicEdges extends Pick<EpicEdges, 'epics'> {
  readonly related: RelatedEpicStore;
}

/** One page of the epics that an epic is linked to (gaps 4.18). Fails with `not_found`. */
export const listRelatedEpics =
  (edges: RelatedEpicEdges) =>
  async (
    caller: IssueCaller,
    key: EpicNumber,
    request: PageRequest,
  ): Promise<{ epicId: number; rows: RelatedEpic[]; page: PageInfo }> => {
    const { epic } = await visibleEpic(edges, caller, key);
    return { epicId: epic.id, ...(await edges.related.page(epic.id, caller, request)) };
  };

/** The other epic of a request: one that the caller does not see is not found. */
async function otherEpic(edges: RelatedEpicEdges, caller: IssueCaller, group: string, iid: number): Promise<EpicView> {
  const groupId = /^\d{1,15}$/.test(group) ? Number(group) : await edges.epics.groupByPath(group);
  return namedEpic(edges, caller, groupId, iid);
}

const inOrder = (link: RelatedLink, one: EpicView, other: EpicView): LinkedEpics =>
  link.sourceId === one.epic.id ? { link, source: one, target: other } : { link, source: other, target: one };

/**
 * Links two epics of which the caller may change both. Fails with `not_found`, `forbidden`; with `conflict` where they
 * are linked, `invalid` for an epic and itself.
 */
export const linkRelatedEpic =
  (edges: RelatedEpicEdges) =>
  async (
    caller: IssueCaller,
    key: EpicNumber,
    wanted: { readonly group: string; readonly iid: number; readonly type: RelatedLinkType },
  ): Promise<LinkedEpics> => {
    const own = await managedEpic(edges, caller, key);
    const other = await otherEpic(edges, caller, wanted.group, wanted.iid);
    if (!other.editable) throw forbidden();
    if (other.epic.id === own.epic.id) throw invalid({ target_epic_iid: ['cannot be the epic itself'] });
    const link = await edges.related.create(storedLink(own.epic.id, other.epic.id, wanted.type), caller.userId);
    return inOrder(link, own, other);
  };

/** Takes a link of an epic away, by its id or by the other epic; answers it as it was. Fails with `not_found`, `forbidden`. */
export const unlinkRelatedEpic =
  (edges: RelatedEpicEdges) =>
  async (
    caller: IssueCaller,
    key: EpicNumber,
    wanted: { readonly linkId: number } | { readonly otherId: number },
  ): Promise<LinkedEpics> => {
    const own = await managedEpic(edges, caller, key);
    const link = await edges.related.find(
      'linkId' in wanted ? { id: wanted.linkId } : { between: [own.epic.id, wanted.otherId] },
    );
    if (link === undefined || (link.sourceId !== own.epic.id && link.targetId !== own.epic.id)) throw notFound();
    const otherId = link.sourceId === own.epic.id ? link.targetId : link.sourceId;
    const other = await edges.epics.view({ id: otherId }, caller);
    // A link to what the caller does not see is not there for them.
    if (other === undefined || !(await edges.related.remove(link, caller.userId))) throw notFound();
    return inOrder(link, own, other);
  };
