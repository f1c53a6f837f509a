import { conflict, forbidden, notFound } from '@switchyard/errors';
import type { Neighbours } from '../../epic-trees';
import type { IssueCaller } from '../../issues';
import { editEpic } from '../domain/epic-edit';
import type { ProgressRow } from '../domain/epic-progress';
import type { EpicView } from '../domain/epic-view';
import type { createEpic } from './create-epic';
import type { EpicEdges, EpicNumber } from './epic.ports';
import { managedEpic, notMoved } from './epic-issues';
import { visibleEpic } from './read-epic';

const viewerOf = ({ userId, admin, external }: IssueCaller) => ({ userId, admin, external });

/** Child epics of an epic that the caller may see, in their order. Fails with `not_found`. */
export const listChildEpics =
  (edges: Pick<EpicEdges, 'epics' | 'trees'>) =>
  async (caller: IssueCaller, key: EpicNumber): Promise<EpicView[]> => {
    const { epic } = await visibleEpic(edges, caller, key);
    return edges.trees.children(epic.id, viewerOf(caller));
  };

async function setParent(edges: EpicEdges, caller: IssueCaller, childId: number, parentId: number | null) {
  const now = edges.clock();
  await edges.epics.change(childId, caller.userId, (locked) => editEpic(locked, { parentId }, caller.userId, now), {
    trees: true,
  });
  const view = await edges.epics.view({ id: childId }, caller);
  if (view === undefined) throw notFound();
  return view;
}

/**
 * Puts an epic below another one. Fails with `not_found`, `forbidden`; with `conflict` where it is there already,
 * `invalid` where it cannot stand there.
 */
export const assignChildEpic =
  (edges: EpicEdges) =>
  async (caller: IssueCaller, key: EpicNumber, childId: number): Promise<EpicView> => {
    const { epic } = await managedEpic(edges, caller, key);
    const child = await edges.epics.view({ id: childId }, caller);
    if (child === undefined) throw notFound('Epic');
    if (!child.editable) throw forbidden();
    if (child.epic.parentId === epic.id) throw conflict('Epic(s) already assigned');
    return setParent(edges, caller, childId, epic.id);
  };

/** Opens an epic below another one, in its group. Fails with `not_found`, `forbidden`, `invalid`. */
export const createChildEpic =
  (edges: EpicEdges, create: ReturnType<typeof createEpic>) =>
  async (
    caller: IssueCaller,
    key: EpicNumber,
    { title, confidential }: { readonly title: string; readonly confidential: boolean | undefined },
  ): Promise<EpicView> => {
    const { epic } = await managedEpic(edges, caller, key);
    const iid = await create(caller, {
      groupId: epic.groupId,
      title,
      labels: [],
      confidential: confidential ?? epic.confidential,
      dates: { startDateIsFixed: false, startDateFixed: undefined, dueDateIsFixed: false, dueDateFixed: undefined },
      parentId: epic.id,
    });
    return visibleEpic(edges, caller, { groupId: epic.groupId, iid });
  };

async function childOf(edges: EpicEdges, caller: IssueCaller, epicId: number, childId: number): Promise<EpicView> {
  const child = await edges.epics.view({ id: childId }, caller);
  if (child === undefined || child.epic.parentId !== epicId) throw notFound('Epic');
  return child;
}

/** Takes an epic out of its parent; answers it. Fails with `not_found`, `forbidden`. */
export const removeChildEpic =
  (edges: EpicEdges) =>
  async (caller: IssueCaller, key: EpicNumber, childId: number): Promise<EpicView> => {
    const { epic } = await managedEpic(edges, caller, key);
    await childOf(edges, caller, epic.id, childId);
    return setParent(edges, caller, childId, null);
  };

/** Moves an epic among the children of its parent; answers these. Fails with `not_found`, `forbidden`, `bad_request`. */
export const moveChildEpic =
  (edges: EpicEdges) =>
  async (caller: IssueCaller, key: EpicNumber, childId: number, neighbours: Neighbours): Promise<EpicView[]> => {
    const { epic } = await managedEpic(edges, caller, key);
    await childOf(edges, caller, epic.id, childId);
    if (!(await edges.trees.reorder('epics', epic.id, childId, neighbours))) throw notMoved('Epic');
    return edges.trees.children(epic.id, viewerOf(caller));
  };

/** What is below an epic, open and closed, by child. Fails with `not_found`. */
export const readEpicProgress =
  (edges: Pick<EpicEdges, 'epics' | 'trees'>) =>
  async (caller: IssueCaller, key: EpicNumber): Promise<ProgressRow[]> => {
    const { epic } = await visibleEpic(edges, caller, key);
    return edges.trees.progress(epic.id, viewerOf(caller));
  };
