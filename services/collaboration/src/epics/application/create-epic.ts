import { forbidden } from '@switchyard/errors';
import { displayText, mentionsIn, parseColor, withCommands } from '@switchyard/texts';
import type { IssueCaller } from '../../issues';
import {
  checkEpicDates,
  checkEpicFields,
  defaultColor,
  type EpicDates,
  mayDateEpic,
  mayManageEpics,
} from '../domain/epic';
import type { EpicEdges } from './epic.ports';
import { parentOf } from './read-epic';

/** An epic as it is asked for. */
export interface CreateEpicCommand {
  readonly groupId: number;
  readonly title: string;
  readonly description?: string | undefined;
  readonly labels: readonly string[];
  readonly color?: string | undefined;
  readonly confidential: boolean;
  readonly createdAt?: Date | undefined;
  readonly dates: EpicDates;
  /** The epic that it stands below. */
  readonly parentId?: number | undefined;
}

/**
 * Opens an epic (G-4.18-1); answers its number. A creation time from others than Owners is passed over.
 * Commands in the description count as what they set. Fails with
 * `forbidden` below Planner, `invalid`; with `not_found` for a parent that the caller does not see.
 */
export const createEpic =
  (edges: EpicEdges) =>
  async (caller: IssueCaller, wanted: CreateEpicCommand): Promise<number> => {
    if (!mayManageEpics(caller)) throw forbidden();
    const { groupId } = wanted;
    const command = await withCommands(
      edges.commandSteps,
      { ...wanted, addLabels: [], removeLabels: [] },
      { kind: 'Epic', age: 'new' },
      { userId: caller.userId, projectId: 0, groupId, tier: caller.tier, title: wanted.title, assigneeIds: [] },
    );
    const { title, description, color, dates } = command;
    const createdAt = mayDateEpic(caller) ? command.createdAt : undefined;
    checkEpicFields({ title, description, color, createdAt });
    checkEpicDates(dates);
    const parentId = (await parentOf(edges, caller, groupId, command)) ?? undefined;
    const labels = await edges.ensureLabels(caller, groupId, [...new Set([...command.labels, ...command.addLabels])]);
    const epic = await edges.epics.create({
      ...dates,
      groupId,
      authorId: caller.userId,
      title: displayText(title),
      description: description === '' ? undefined : description,
      confidential: command.confidential,
      color: (color === undefined ? undefined : parseColor(color)) ?? defaultColor,
      labelIds: labels.map(({ id }) => id),
      mentions: mentionsIn(title, description),
      parentId,
      createdAt,
    });
    return epic.iid;
  };
