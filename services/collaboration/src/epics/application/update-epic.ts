import { forbidden } from '@switchyard/errors';
import { displayText, parseColor } from '@switchyard/texts';
import type { IssueCaller } from '../../issues';
import { checkEpicFields, mayDateEpic, mayManageEpics } from '../domain/epic';
import { editEpic } from '../domain/epic-edit';
import type { DecideEpic, EpicEdges, EpicNumber } from './epic.ports';
import { parentOf, visibleEpic } from './read-epic';

/** What an edit asks for; what is undefined stays. */
export interface UpdateEpicCommand {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  /** In place of the present ones. */
  readonly labels?: readonly string[] | undefined;
  readonly addLabels: readonly string[];
  readonly removeLabels: readonly string[];
  readonly confidential?: boolean | undefined;
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

/** Changes, closes or reopens an epic (G-4.18-2). Fails with `not_found`, `forbidden` below Planner, `invalid`. */
export const updateEpic =
  (edges: EpicEdges) =>
  async (caller: IssueCaller, key: EpicNumber, command: UpdateEpicCommand): Promise<void> => {
    const view = await visibleEpic(edges, caller, key);
    if (!mayManageEpics(caller)) throw forbidden();
    const updatedAt = mayDateEpic(caller) ? command.updatedAt : undefined;
    const { title, description, color, labels, addLabels, removeLabels, ...rest } = command;
    checkEpicFields({ title, description, color, updatedAt });
    const labelIds = async (titles: readonly string[]): Promise<number[]> =>
      (await edges.ensureLabels(caller, key.groupId, titles)).map(({ id }) => id);
    const removed = new Set(removeLabels.map((name) => displayText(name).toLowerCase()));
    const edit = {
      ...rest,
      title: title === undefined ? undefined : displayText(title),
      description,
      color: color === undefined ? undefined : parseColor(color),
      labelIds: labels === undefined ? undefined : await labelIds(labels),
      addedLabelIds: await labelIds(addLabels),
      removedLabelIds: view.labels.filter((label) => removed.has(label.title.toLowerCase())).map(({ id }) => id),
      parentId: await parentOf(edges, caller, command.parentId),
      updatedAt,
    };
    const now = edges.clock();
    const trees = edit.parentId !== undefined || edit.confidential !== undefined;
    const decide: DecideEpic = (locked) => editEpic(locked, edit, caller.userId, now);
    await edges.epics.change(view.epic.id, caller.userId, decide, { trees });
  };
