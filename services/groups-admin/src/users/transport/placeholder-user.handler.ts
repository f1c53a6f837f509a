import { PlaceholderUserServiceService } from '@switchyard/protos/groups_admin/v1/placeholder_user';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { PlaceholderUsers } from '../application/placeholder-users';

const rule = { callers: ['imports-exports'] };

/** Serves `PlaceholderUserService`. */
export const placeholderUserHandler = (placeholders: PlaceholderUsers): ServiceImplementation =>
  implement(
    PlaceholderUserServiceService,
    {
      createPlaceholderUser: (request) => placeholders.create(request),
      async removePlaceholderUser({ projectId, userId }) {
        await placeholders.remove(projectId, userId);
        return {};
      },
    },
    { createPlaceholderUser: rule, removePlaceholderUser: rule },
  );
