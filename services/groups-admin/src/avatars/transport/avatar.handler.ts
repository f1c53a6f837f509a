import { avatarUrl } from '@switchyard/directory';
import { notFound } from '@switchyard/errors';
import { AvatarServiceService, type GetAvatarRequest } from '@switchyard/protos/groups_admin/v1/avatar';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { type CallContext, entity, implement, type ServiceImplementation } from '@switchyard/rpc';
import type { manageAvatars } from '../application/avatars';
import type { AvatarOwner } from '../domain/avatar';
import { toAvatarChange } from './wire-avatar';

/** Whose avatar is requested. A group or project must be the one that the gateway resolved: others may be hidden. */
function ownerOf({ owner }: GetAvatarRequest, { access }: Pick<CallContext, 'access'>): AvatarOwner {
  const reached = (kind: Access_Kind, id: number): boolean => access?.kind === kind && access.id === id;
  if (owner?.$case === 'userId') return { kind: 'user', id: owner.value };
  if (owner?.$case === 'topicId') return { kind: 'topic', id: owner.value };
  if (owner?.$case === 'groupId' && reached(Access_Kind.KIND_GROUP, owner.value))
    return { kind: 'group', id: owner.value };
  if (owner?.$case === 'projectId' && reached(Access_Kind.KIND_PROJECT, owner.value))
    return { kind: 'project', id: owner.value };
  throw notFound('Avatar');
}

/** AvatarService. */
export const avatarHandler = (
  avatars: ReturnType<typeof manageAvatars>,
  externalUrl: string,
): ServiceImplementation => {
  const present = (path: string | undefined) => ({ avatar_url: avatarUrl(path ?? null, externalUrl) });
  return implement(AvatarServiceService, {
    getAvatar: async (request, context) => {
      const { content, contentType, filename } = await avatars.read(
        ownerOf(request, context),
        request.filename || undefined,
      );
      return { content, contentType, filename };
    },

    findAvatar: async ({ email }) => entity(present(await avatars.findByEmail(email))),

    setOwnAvatar: async ({ avatar }, { actor }) =>
      entity(present(await avatars.setOwn(actor.userId, toAvatarChange(avatar) ?? { file: undefined }))),
  });
};
