import type { DirectoryUserRow } from '@switchyard/directory';
import { userReference } from '@switchyard/directory';
import type { Placeholder } from '../domain/placeholder';

/** Users of the placeholders of a page. */
export const usersOf = ({ userId, targetId, requestedById }: Placeholder): number[] =>
  [userId, targetId, requestedById].filter((id) => id !== null);

/** A placeholder, in the words of GitLab's source users. */
export const presentPlaceholder = (
  one: Placeholder,
  users: ReadonlyMap<number, DirectoryUserRow>,
  externalUrl: string,
) => {
  const shown = (id: number | null) => {
    const user = id === null ? undefined : users.get(id);
    return user === undefined ? null : userReference(user, externalUrl);
  };
  return {
    id: one.id,
    state: one.state,
    import_type: one.importType,
    source_hostname: one.host || null,
    source_user_identifier: one.foreignId,
    source_username: one.login,
    source_name: one.name || null,
    placeholder_user: one.state === 'reassigned' ? null : shown(one.userId),
    reassign_to_user: shown(one.targetId),
    reassigned_by_user: shown(one.requestedById),
    created_at: one.createdAt,
    updated_at: one.updatedAt,
  };
};
