import type { DirectoryNamespace, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import type { Installation } from './installation';

/** People of a group, and how they call: as its members, also in other places. */
export function groupPeople(here: Installation, group: DirectoryNamespace) {
  const levels = new Map<number, number>();
  const levelOf = ({ id }: DirectoryUser): number => levels.get(id) ?? 0;
  return {
    levelOf,
    /** Makes a user. @param level in the group; 0: no member */
    user(username: string, level: number): DirectoryUser {
      const made = here.directory.user({ username });
      if (level > 0) here.directory.member(made.id, { namespaceId: group.id }, level);
      levels.set(made.id, level);
      return made;
    },
    /** A call with what the gateway knows of a user in a group. */
    as: (user: DirectoryUser, at: DirectoryNamespace = group, level = levelOf(user)) =>
      here.as(user, { id: at.id, level, kind: Access_Kind.KIND_GROUP, tier: 'ultimate' }),
  };
}
