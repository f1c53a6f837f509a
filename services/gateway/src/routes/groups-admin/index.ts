import type { Route } from '../../http/route';
import { accessRequestRoutes } from './access-requests.routes';
import { accessTokenRoutes } from './access-tokens.routes';
import { approvalSettingsRoutes } from './approval-settings.routes';
import { avatarRoutes } from './avatars.routes';
import { broadcastMessageRoutes } from './broadcast-messages.routes';
import { changeRoutes } from './changes.routes';
import { customAttributeRoutes } from './custom-attributes.routes';
import { deployKeyRoutes } from './deploy-keys.routes';
import { deployTokenRoutes } from './deploy-tokens.routes';
import { forkRoutes } from './forks.routes';
import { groupRoutes } from './groups.routes';
import { hookRoutes } from './hooks.routes';
import { impersonationTokenRoutes } from './impersonation-tokens.routes';
import { integrationRoutes } from './integrations.routes';
import { labelRoutes } from './labels.routes';
import { memberRoutes } from './members.routes';
import { milestoneRoutes } from './milestones.routes';
import { namespaceRoutes } from './namespaces.routes';
import { personalAccessTokenRoutes } from './personal-access-tokens.routes';
import { projectDetailsRoutes } from './project-details.routes';
import { projectRoutes } from './projects.routes';
import { serviceAccountRoutes } from './service-accounts.routes';
import { settingsRoutes } from './settings.routes';
import { shareRoutes } from './shares.routes';
import { sshKeyRoutes } from './ssh-keys.routes';
import { starRoutes } from './stars.routes';
import { topicRoutes } from './topics.routes';
import { userEmailRoutes } from './user-emails.routes';
import { userProfileRoutes } from './user-profiles.routes';
import { userRoutes } from './users.routes';
import { variableRoutes } from './variables.routes';

/** What the service groups-admin serves. */
export const routes: readonly Route[] = [
  ...userRoutes,
  ...userEmailRoutes,
  ...userProfileRoutes,
  ...serviceAccountRoutes,
  ...personalAccessTokenRoutes,
  ...impersonationTokenRoutes,
  ...accessTokenRoutes,
  ...deployTokenRoutes,
  ...namespaceRoutes,
  ...groupRoutes,
  ...projectDetailsRoutes,
  ...projectRoutes,
  ...starRoutes,
  ...forkRoutes,
  ...approvalSettingsRoutes,
  ...shareRoutes,
  ...memberRoutes,
  ...accessRequestRoutes,
  ...labelRoutes,
  ...milestoneRoutes,
  ...settingsRoutes,
  ...sshKeyRoutes,
  ...deployKeyRoutes,
  ...topicRoutes,
  ...avatarRoutes,
  ...variableRoutes,
  ...hookRoutes,
  ...integrationRoutes,
  ...broadcastMessageRoutes,
  ...customAttributeRoutes,
  ...changeRoutes,
];
