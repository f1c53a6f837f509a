import { forbidden } from '@switchyard/errors';
import { type DescribedRequest, displayText, parseColor, withCommands } from '@switchyard/texts';
import type { IssueCaller } from '../../issues';
import { checkEpicFields, mayDateEpic, mayManageEpics } from '../domain/epic';
import { editEpic } from '../domain/epic-edit';
import type { DecideEpic, EpicEdges, EpicNumber } from './epic.ports';
import { parentOf, visibleEpic } from './read-epic';

/** What an edit asks for; what is undefined stays. */
export interface UpdateEpicCommand
  extends Pick<
    DescribedRequest,
    'title' | 'description' | 'stateEvent' | 'labels' | 'addLabels' | 'removeLabels' | 'confidential' | 'parentEpic'
  > {
  readonly color?: string | undefined;
  readonly startDateIsFixed?: boolean | undefined;
  /** `YYYY-MM-DD`; null takes it away. */
  readonly startDateFixed?: string | null | undefined;
  readonly dueDateIsFixed?: boolean | undefined;
  /** `YYYY-MM-DD`; null takes it away. */
  readonly dueDateFixed?: string | null | undefined;
  /** The epic that it comes to stand below; null: below none. */
  readonly parentId?: number | null | undefined;
  readonly updatedAt?: Date | undefined;
}

/**
 * Changes, closes or reopens an epic (G-4.18-2). Commands in a description count as what they set. Fails with
 * `not_found`, `forbidden` below Planner, `invalid`.
 */
export const updateEpic =
  (edges: EpicEdges) =>
  async (caller: IssueCaller, key: EpicNumber, wanted: UpdateEpicCommand): Promise<void> => {
    const view = await visibleEpic(edges, caller, key);
    if (!mayManageEpics(caller)) throw forbidden();
    const command = await withCommands(
      edges.commandSteps,
      wanted,
      { kind: 'Epic', age: 'existing' },
      {
        userId: caller.userId,
        projectId: 0,
        groupId: key.groupId,
        tier: caller.tier,
        title: wanted.title ?? view.epic.title,
        assigneeIds: [],
      },
    );
    const updatedAt = mayDateEpic(caller) ? command.updatedAt : undefined;
    const { title, description, color, labels, addLabels, removeLabels, stateEvent, confidential } = command;
    checkEpicFields({ title, description, color, updatedAt });
    const labelIds = async (titles: readonly string[]): Promise<number[]> =>
      (await edges.ensureLabels(caller, key.groupId, titles)).map(({ id }) => id);
    const removed = new Set(removeLabels.map((name) => displayText(name).toLowerCase()));
    const edit = {
      stateEvent,
      confidential,
      startDateIsFixed: command.startDateIsFixed,
      startDateFixed: command.startDateFixed,
      dueDateIsFixed: command.dueDateIsFixed,
      dueDateFixed: command.dueDateFixed,
      title: title === undefined ? undefined : displayText(title),
      description,
      color: color === undefined ? undefined : parseColor(color),
      labelIds: labels === undefined ? undefined : await labelIds(labels),
      addedLabelIds: await labelIds(addLabels),
      removedLabelIds: view.labels.filter((label) => removed.has(label.title.toLowerCase())).map(({ id }) => id),
      parentId: await parentOf(edges, caller, key.groupId, command),
      updatedAt,
    };
    const now = edges.clock();
    const trees = edit.parentId !== undefined || edit.confidential !== undefined;
    const decide: DecideEpic = (locked) => editEpic(locked, edit, caller.userId, now);
    await edges.epics.change(view.epic.id, caller.userId, decide, { trees });
  };
