import { inlineRenderer } from '@switchyard/markdown';
import { UserProfileServiceService } from '@switchyard/protos/groups_admin/v1/user_profile';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import type { UserProfiles } from '../application/user-profiles';
import { presentUserReference } from '../presenters/user.presenter';
import { presentActivity, presentStatus } from '../presenters/user-profile.presenter';

/** Nothing has changed (304). */
const unchanged = () => nothing(304);

/** UserProfileService. */
export const userProfileHandler = (profiles: UserProfiles, externalUrl: string): ServiceImplementation =>
  implement(UserProfileServiceService, {
    getUserStatus: async ({ user }, { actor }) =>
      entity(presentStatus(await profiles.status(user, actor), inlineRenderer())),

    setUserStatus: async ({ clearAfterSeconds, emoji, message, availability, partial }, { actor }) => {
      const change = { clearAfterSeconds, emoji, message, availability, partial };
      return entity(presentStatus(await profiles.setStatus(change, actor), inlineRenderer()));
    },

    followUser: async ({ userId }, { actor }) => {
      const user = await profiles.follow(userId, actor);
      return user === undefined ? unchanged() : entity(presentUserReference(user, externalUrl));
    },

    unfollowUser: async ({ userId }, { actor }) => {
      const user = await profiles.unfollow(userId, actor);
      return user === undefined ? unchanged() : entity(presentUserReference(user, externalUrl));
    },

    listFollows: async (request, { actor }) => {
      const asked = fixedOrder(request.page, 'id', 'desc');
      const { rows, page: info } = await profiles.follows(request.userId, request.following, asked, actor);
      return page(
        rows.map((user) => presentUserReference(user, externalUrl)),
        { ...info, keyset: asked.mode === 'keyset' },
      );
    },

    listUserActivities: async (request) => {
      const asked = fixedOrder(request.page, 'last_activity_on', 'asc');
      const { rows, page: info } = await profiles.activities(request.from, asked);
      return page(rows.map(presentActivity), { ...info, keyset: asked.mode === 'keyset' });
    },

    countMemberships: ({ userId }, { actor }) => profiles.memberships(userId, actor),
  });
