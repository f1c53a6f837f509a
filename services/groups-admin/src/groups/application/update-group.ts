import { isUniqueViolation } from '@switchyard/database';
import { invalid, notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { Transact, Viewer } from '../../directory';
import { note, refuse, taken } from '../../rules';
import { type GroupContent, type GroupSettings, groupProblems, mayLicense } from '../domain/group';
import { type GroupRow, settingsOf } from '../domain/group-row';
import type { GroupStore } from './ports';

/** A change of a group; what is absent stays. */
export interface UpdateGroup extends GroupContent {
  id: number;
  settings: Partial<GroupSettings>;
  /** Licence tier; null for the instance's. */
  tier?: string | null;
}

/**
 * Changes a group (G-4.15-6). A new name or path changes the namespaces below in one statement and no project (D5); a new tier changes
 * the group alone, since readers of the directory look it up there.
 */
export const updateGroup =
  ({ transaction, groups }: { transaction: Transact; groups: GroupStore }) =>
  async (actor: Viewer, asked: UpdateGroup): Promise<GroupRow> => {
    const change = { ...asked, ...(asked.name === undefined ? {} : { name: displayText(asked.name) }) };
    const work = async (): Promise<void> =>
      transaction(async (tx) => {
        await groups.lockTrees(tx, [change.id]);
        const group = await groups.findIn(tx, change.id);
        if (group === undefined) throw notFound('Group');
        const parent = group.parent_id === null ? undefined : await groups.findIn(tx, group.parent_id);
        const home = parent && {
          visibility: parent.visibility,
          depth: parent.ancestry.length,
          settings: settingsOf(parent),
        };
        if (change.tier !== undefined) mayLicense(actor, home);
        const problems = groupProblems(change, home);
        const { visibility = group.visibility, name = group.name, path = group.path } = change;
        if (visibility !== group.visibility && (await groups.hasWiderContent(tx, group.id, visibility))) {
          note(problems, 'visibility_level', [
            `${visibility} is not allowed since this group contains projects or sub-groups with higher visibility.`,
          ]);
        }
        const renamed = path !== group.path;
        if (renamed && parent !== undefined && (await groups.projectHasPath(tx, parent.id, path)))
          note(problems, 'path', [taken]);
        refuse(problems);
        await groups.change(tx, group.id, change);
        if (renamed || name !== group.name)
          await groups.move(tx, group.id, { name, path, parentId: group.parent_id ?? undefined });
      });
    await work().catch((error: unknown) => {
      if (isUniqueViolation(error, 'namespaces_full_path')) throw invalid({ path: [taken] });
      throw error;
    });
    const group = await groups.find(change.id);
    if (group === undefined) throw notFound('Group');
    return group;
  };
