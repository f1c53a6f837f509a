import type { PageInfo, PageRequest } from '@switchyard/database';
import type { UserRow } from '@switchyard/directory';
import { forbidden, notFound } from '@switchyard/errors';
import type { EpicName } from '@switchyard/texts';
import type { IssueCaller } from '../../issues';
import { seesInternal } from '../../noteables';
import type { EpicView } from '../domain/epic-view';
import type { EpicEdges, EpicNumber } from './epic.ports';

/** An epic and whether its viewer is subscribed. */
export interface EpicDetails {
  readonly view: EpicView;
  readonly subscribed: boolean;
}

/** An epic the caller may see; others are not found, whether they exist or not (G-13-11). */
export async function visibleEpic(
  { epics }: Pick<EpicEdges, 'epics'>,
  caller: IssueCaller,
  { groupId, iid }: EpicNumber,
): Promise<EpicView> {
  const view = await epics.view({ groupId, iid }, caller);
  if (view === undefined) throw notFound();
  return view;
}

/** The epic that a command or a parameter of another one names; its group may not be there, nor may the caller see it. */
export async function namedEpic(
  { epics }: Pick<EpicEdges, 'epics'>,
  caller: IssueCaller,
  groupId: number | undefined,
  iid: number,
): Promise<EpicView> {
  const view = groupId === undefined ? undefined : await epics.view({ groupId, iid }, caller);
  if (view === undefined) throw notFound('Epic');
  return view;
}

/**
 * The parent that a request names, where the tier has child epics. Fails with `not_found` when the caller does not see
 * it, with `forbidden` when they may not change it. Such a parent is passed over where a command of the description
 * names it.
 * @param homeId the group of the epic, and of the parent where a command names no other
 */
export async function parentOf(
  { epics }: Pick<EpicEdges, 'epics'>,
  caller: IssueCaller,
  homeId: number,
  wanted: { readonly parentId?: number | null | undefined; readonly parentEpic?: EpicName | null | undefined },
): Promise<number | null | undefined> {
  if (caller.tier !== 'ultimate') return undefined;
  const { parentEpic } = wanted;
  if (parentEpic !== undefined && parentEpic !== null) {
    const groupId = parentEpic.path === '' ? homeId : await epics.groupByPath(parentEpic.path);
    const named = groupId === undefined ? undefined : await epics.view({ groupId, iid: parentEpic.iid }, caller);
    if (named?.editable === true) return named.epic.id;
    // A text that names none that can be used leaves the parameter its effect.
  }
  const parentId = parentEpic === null ? null : wanted.parentId;
  if (parentId === undefined || parentId === null) return parentId;
  const parent = await epics.view({ id: parentId }, caller);
  if (parent === undefined) throw notFound('Epic');
  if (!parent.editable) throw forbidden();
  return parentId;
}

/** Reads one epic. Fails with `not_found`. */
export const readEpic =
  (edges: Pick<EpicEdges, 'epics'>) =>
  async (caller: IssueCaller, key: EpicNumber): Promise<EpicDetails> => {
    const view = await visibleEpic(edges, caller, key);
    return { view, subscribed: caller.userId > 0 && (await edges.epics.isSubscribed(view.epic.id, caller.userId)) };
  };

/** One page of those who took part, by internal notes alone for those who read these. Fails with `not_found`. */
export const listParticipantsOfEpic =
  (edges: Pick<EpicEdges, 'epics'>) =>
  async (caller: IssueCaller, key: EpicNumber, request: PageRequest): Promise<{ users: UserRow[]; page: PageInfo }> => {
    const { epic } = await visibleEpic(edges, caller, key);
    return edges.epics.participants(epic.id, seesInternal(caller), request);
  };

/** Subscribes the caller to an epic or takes the subscription back; undefined when nothing changes. */
export const subscribeToEpic =
  (edges: Pick<EpicEdges, 'epics'>) =>
  async (caller: IssueCaller, key: EpicNumber, subscribed: boolean): Promise<EpicDetails | undefined> => {
    const view = await visibleEpic(edges, caller, key);
    const changed = await edges.epics.setSubscription(view.epic.id, caller.userId, subscribed);
    return changed ? { view, subscribed } : undefined;
  };
