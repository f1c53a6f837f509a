import { PlaceholderUserServiceService } from '@switchyard/protos/groups_admin/v1/placeholder_user';
import { implement } from '@switchyard/rpc';
import type { TestInstallation } from '@switchyard/testkit/installation';

/** What a stand-in of groups-admin knows of placeholder users. */
export interface PlaceholderUsers {
  /** By project and person. */
  readonly placeholders: Map<string, number>;
  readonly removed: number[];
}

const rule = { callers: ['imports-exports'], onBehalfOf: true };

/** Makes placeholder users in the directory of an installation, each once. @param made read at each call */
export const placeholderUsers = (here: () => TestInstallation, made: () => PlaceholderUsers) =>
  implement(
    PlaceholderUserServiceService,
    {
      async createPlaceholderUser({ projectId, foreignId, login }) {
        const { placeholders } = made();
        const { directory } = here();
        const key = `${projectId}:${foreignId}`;
        const user = { username: `${login}_placeholder`, bot: true, kind: 'placeholder' };
        const userId = placeholders.get(key) ?? directory.user(user).id;
        placeholders.set(key, userId);
        return { userId, directorySequence: directory.changes.length };
      },
      async removePlaceholderUser({ userId }) {
        made().removed.push(userId);
        return {};
      },
    },
    { createPlaceholderUser: rule, removePlaceholderUser: rule },
  );
