import {
  MemberServiceService,
  ListUserMembershipsRequest_SourceType as SourceType,
} from '@switchyard/protos/groups_admin/v1/member';
import {
  type CallContext,
  entity,
  fixedOrder,
  implement,
  nothing,
  page,
  type ServiceImplementation,
} from '@switchyard/rpc';
import { parentOf } from '../../parents';
import { given, some } from '../../wire';
import type { ManageMembers } from '../application/manage-members';
import type { MemberActor } from '../domain/member';
import { presentMember } from '../presenters/member.presenter';

/** The caller, with their level in the group or project of the call. */
export const actorOf = ({ actor, access }: CallContext): MemberActor => ({
  userId: actor.userId,
  admin: actor.admin,
  level: access?.level ?? 0,
});

const sourceTypes: Record<SourceType, 'Project' | 'Namespace' | undefined> = {
  [SourceType.SOURCE_TYPE_UNSPECIFIED]: undefined,
  [SourceType.SOURCE_TYPE_PROJECT]: 'Project',
  [SourceType.SOURCE_TYPE_NAMESPACE]: 'Namespace',
};

/** MemberService. */
export const memberHandler = (
  members: Omit<ManageMembers, 'approve' | 'expire'>,
  externalUrl: string,
): ServiceImplementation =>
  implement(MemberServiceService, {
    listMembers: async (request, { actor }) => {
      const asked = fixedOrder(request.page, 'id', 'asc');
      const { rows, page: info } = await members.list(
        parentOf(request.source),
        {
          query: given(request.query),
          searchPrivateEmail: actor.admin,
          userIds: some(request.userIds),
          skipUserIds: some(request.skipUserIds),
          inherited: request.inherited,
        },
        asked,
      );
      return page(
        rows.map((member) => presentMember(member, externalUrl)),
        { ...info, keyset: asked.mode === 'keyset' },
      );
    },

    getMember: async (request) =>
      entity(
        presentMember(await members.get(parentOf(request.source), request.userId, request.inherited), externalUrl),
      ),

    addMembers: async (request, context) => {
      const added = await members.add(actorOf(context), parentOf(request.source), {
        userIds: request.userIds,
        usernames: request.usernames,
        level: request.accessLevel,
        expiresAt: given(request.expiresAt),
      });
      if ('member' in added) return entity(presentMember(added.member, externalUrl));
      return entity(
        Object.keys(added.problems).length === 0 ? { status: 'success' } : { status: 'error', message: added.problems },
      );
    },

    updateMember: async (request, context) =>
      entity(
        presentMember(
          await members.update(actorOf(context), parentOf(request.source), request.userId, {
            level: request.accessLevel,
            expiresAt: request.expiresAt,
          }),
          externalUrl,
        ),
      ),

    removeMember: async (request, context) => {
      await members.remove(actorOf(context), parentOf(request.source), request.userId, request.skipSubresources);
      return nothing(204);
    },

    async listUserMemberships({ userId, type, page: requested }) {
      const request = fixedOrder(requested, 'id', 'asc');
      const { rows, page: info } = await members.ofUser(userId, sourceTypes[type], request);
      return page(rows, { ...info, keyset: request.mode === 'keyset' });
    },
  });
