import { isUniqueViolation } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { Transact, Viewer } from '../../directory';
import type { Owners } from '../../members';
import type { Visibility } from '../../rules';
import { note, taken } from '../../rules';
import { type GroupSettings, groupProblems, mayCreateGroup, refuseNewGroup } from '../domain/group';
import { type GroupRow, settingsOf } from '../domain/group-row';
import type { GroupStore } from './ports';

/** A group to make. */
export interface CreateGroup {
  /** Group it lies in; undefined for the top level. */
  parentId: number | undefined;
  name: string;
  path: string;
  description: string;
  /** That of the parent, or private, when absent. */
  visibility: Visibility | undefined;
  settings: Partial<GroupSettings>;
}

/** Makes a group and its creator the Owner of it (G-4.15-5). */
export const createGroup =
  ({ transaction, groups, owners }: { transaction: Transact; groups: GroupStore; owners: Owners }) =>
  async (actor: Viewer, asked: CreateGroup): Promise<GroupRow> => {
    const wanted = { ...asked, name: displayText(asked.name) };
    const work = async (): Promise<number> =>
      transaction(async (tx) => {
        const { parentId } = wanted;
        if (parentId !== undefined) await groups.lockTrees(tx, [parentId]);
        const parent = parentId === undefined ? undefined : await groups.findVisible(tx, parentId, actor);
        if (parentId !== undefined && parent === undefined) throw notFound('Group');
        const home = parent && {
          visibility: parent.visibility,
          depth: parent.ancestry.length,
          settings: settingsOf(parent),
        };
        mayCreateGroup(
          {
            admin: actor.admin,
            canCreateGroup: parent === undefined && (await groups.mayCreateTopLevel(tx, actor.userId)),
            parentLevel: parent === undefined ? 0 : await groups.levelOf(parent.id, actor.userId, tx),
          },
          home,
        );
        const visibility = wanted.visibility ?? parent?.visibility ?? 'private';
        const problems = groupProblems({ ...wanted, visibility }, home);
        if (parent !== undefined && (await groups.projectHasPath(tx, parent.id, wanted.path)))
          note(problems, 'path', [taken]);
        refuseNewGroup(problems);
        const id = await groups.insert(tx, { ...wanted, visibility, creatorId: actor.userId });
        await owners.add(tx, { kind: 'group', id }, actor.userId, actor.userId);
        return id;
      });
    const id = await work().catch((error: unknown) => {
      if (isUniqueViolation(error, 'namespaces_full_path')) refuseNewGroup({ path: [taken] });
      throw error;
    });
    const group = await groups.find(id);
    if (group === undefined) throw notFound('Group');
    return group;
  };
