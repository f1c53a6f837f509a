import { conflict, notFound } from '@switchyard/errors';
import type { EpicName } from '@switchyard/texts';
import { callerOf, type IssueCaller } from '../../issues';
import { type NoteableEditor, type NoteableResolver, noteableRules } from '../../noteables';
import type { EpicView } from '../domain/epic-view';
import type { assignChildEpic, removeChildEpic } from './child-epics';
import type { EpicEdges, EpicNumber } from './epic.ports';
import { namedEpic, type subscribeToEpic, visibleEpic } from './read-epic';
import type { linkRelatedEpic, unlinkRelatedEpic } from './related-epics';
import type { updateEpic } from './update-epic';

/** Epics as noteables, confidential ones for those alone who may see them. */
export const epicNoteables =
  ({ epics }: Pick<EpicEdges, 'epics'>, urlOf: (view: EpicView) => string): NoteableResolver<'Epic'> =>
  async ({ groupId, epic: named }, reader) => {
    const view = await epics.view('id' in named ? named : { groupId, iid: named.iid }, callerOf(reader));
    // An id of another group would be answered by rights in this one.
    if (view === undefined || view.epic.groupId !== groupId) throw notFound(noteableRules.Epic.thing);
    const { epic } = view;
    return {
      kind: 'Epic',
      projectId: 0,
      groupId,
      targetId: epic.id,
      iid: epic.iid,
      sha: '',
      authorId: epic.authorId,
      assigneeIds: [],
      title: epic.title,
      webUrl: urlOf(view),
      state: epic.state,
      confidential: epic.confidential,
      locked: false,
    };
  };

/** Use cases of epics that commands run. */
export interface EpicCommands {
  readonly updateEpic: ReturnType<typeof updateEpic>;
  readonly subscribeToEpic: ReturnType<typeof subscribeToEpic>;
  readonly assignChildEpic: ReturnType<typeof assignChildEpic>;
  readonly removeChildEpic: ReturnType<typeof removeChildEpic>;
  readonly linkRelatedEpic: ReturnType<typeof linkRelatedEpic>;
  readonly unlinkRelatedEpic: ReturnType<typeof unlinkRelatedEpic>;
}

/** The epic that a command of an epic names, in the same group where it says none. */
async function epicOfCommand(
  edges: Pick<EpicEdges, 'epics'>,
  caller: IssueCaller,
  home: EpicView,
  { path, iid }: EpicName,
): Promise<EpicView> {
  const groupId = path === '' ? home.epic.groupId : await edges.epics.groupByPath(path);
  return namedEpic(edges, caller, groupId, iid);
}

/** Child and related epics are of the tier `ultimate`; a command that would be passed over must fail. */
function requireUltimate({ tier }: IssueCaller): void {
  if (tier !== 'ultimate') throw notFound();
}

/** Changes epics in the name of the user who writes a quick action, by the rules of their endpoints. */
export const epicEditor =
  (edges: Pick<EpicEdges, 'epics'>, commands: EpicCommands): NoteableEditor =>
  async (reader, { groupId = 0, iid = 0 }, edit) => {
    const caller = callerOf(reader);
    const key: EpicNumber = { groupId, iid };
    const { subscribed, parentEpic, childEpic, removedChildEpic, related, unrelated } = edit;
    if (subscribed !== undefined) {
      await commands.subscribeToEpic(caller, key, subscribed);
    } else if (parentEpic !== undefined) {
      requireUltimate(caller);
      const home = await visibleEpic(edges, caller, key);
      const parent = parentEpic === null ? undefined : await epicOfCommand(edges, caller, home, parentEpic);
      if (parent !== undefined && home.epic.parentId === parent.epic.id) throw conflict('Epic(s) already assigned');
      const change = { parentId: parent?.epic.id ?? null, addLabels: [], removeLabels: [] };
      await commands.updateEpic(caller, key, change);
    } else if (childEpic !== undefined || removedChildEpic !== undefined) {
      requireUltimate(caller);
      const home = await visibleEpic(edges, caller, key);
      if (childEpic !== undefined) {
        const child = await epicOfCommand(edges, caller, home, childEpic);
        await commands.assignChildEpic(caller, key, child.epic.id);
      }
      if (removedChildEpic !== undefined) {
        const child = await epicOfCommand(edges, caller, home, removedChildEpic);
        await commands.removeChildEpic(caller, key, child.epic.id);
      }
    } else if (related !== undefined) {
      requireUltimate(caller);
      const home = await visibleEpic(edges, caller, key);
      // All are looked up before the first is linked.
      const others = await Promise.all(related.epics.map((name) => epicOfCommand(edges, caller, home, name)));
      for (const { epic } of others) {
        const wanted = { group: String(epic.groupId), iid: epic.iid, type: related.type };
        await commands.linkRelatedEpic(caller, key, wanted);
      }
    } else if (unrelated !== undefined) {
      requireUltimate(caller);
      const other = await epicOfCommand(edges, caller, await visibleEpic(edges, caller, key), unrelated);
      await commands.unlinkRelatedEpic(caller, key, { otherId: other.epic.id });
    } else {
      await commands.updateEpic(caller, key, {
        title: edit.title,
        stateEvent: edit.stateEvent,
        labels: edit.labels,
        addLabels: edit.addLabels ?? [],
        removeLabels: edit.removeLabels ?? [],
        confidential: edit.confidential,
      });
    }
  };
