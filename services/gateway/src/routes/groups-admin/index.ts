import type { Route } from '../../http/route';
import { groupRoutes } from './groups.routes';
import { labelRoutes } from './labels.routes';
import { memberRoutes } from './members.routes';
import { milestoneRoutes } from './milestones.routes';
import { namespaceRoutes } from './namespaces.routes';
import { personalAccessTokenRoutes } from './personal-access-tokens.routes';
import { projectRoutes } from './projects.routes';
import { userRoutes } from './users.routes';

/** What the service groups-admin serves. */
export const routes: readonly Route[] = [
  ...userRoutes,
  ...personalAccessTokenRoutes,
  ...namespaceRoutes,
  ...groupRoutes,
  ...projectRoutes,
  ...memberRoutes,
  ...labelRoutes,
  ...milestoneRoutes,
];
