import type { Route } from '../http/route';
import { alertSettingsRoutes } from './alerts/alert-settings.routes';
import { alertRoutes } from './alerts/alerts.routes';
import { httpIntegrationRoutes } from './alerts/http-integrations.routes';
import { metricImageRoutes } from './alerts/metric-images.routes';
import { awardEmojiRoutes } from './collaboration/award-emoji.routes';
import { commitCommentRoutes } from './collaboration/commit-comments.routes';
import { discussionRoutes } from './collaboration/discussions.routes';
import { eventRoutes } from './collaboration/events.routes';
import { issueListRoutes } from './collaboration/issue-lists.routes';
import { issueRoutes } from './collaboration/issues.routes';
import { noteRoutes } from './collaboration/notes.routes';
import { snippetRoutes } from './collaboration/snippets.routes';
import { todoRoutes } from './collaboration/todos.routes';
import { groupRoutes } from './groups-admin/groups.routes';
import { labelRoutes } from './groups-admin/labels.routes';
import { memberRoutes } from './groups-admin/members.routes';
import { milestoneRoutes } from './groups-admin/milestones.routes';
import { namespaceRoutes } from './groups-admin/namespaces.routes';
import { personalAccessTokenRoutes } from './groups-admin/personal-access-tokens.routes';
import { projectRoutes } from './groups-admin/projects.routes';
import { userRoutes } from './groups-admin/users.routes';
import { instanceRoutes } from './instance/instance.routes';
import { branchRoutes } from './merge-requests/branches.routes';
import { commitRoutes } from './merge-requests/commits.routes';
import { fileRoutes } from './merge-requests/files.routes';
import { mergeRequestListRoutes } from './merge-requests/merge-request-lists.routes';
import { mergeRequestRoutes } from './merge-requests/merge-requests.routes';
import { mergeTrainRoutes } from './merge-requests/merge-trains.routes';
import { pipelineRoutes } from './merge-requests/pipelines.routes';
import { protectedBranchRoutes } from './merge-requests/protected-branches.routes';
import { repositoryRoutes } from './merge-requests/repository.routes';
import { statusRoutes } from './merge-requests/statuses.routes';
import { tagRoutes } from './merge-requests/tags.routes';

/** What the process merge-requests serves. */
export const routesOfMergeRequests: readonly Route[] = [
  ...branchRoutes,
  ...commitRoutes,
  ...fileRoutes,
  ...protectedBranchRoutes,
  ...repositoryRoutes,
  ...tagRoutes,
  ...mergeRequestListRoutes,
  ...mergeRequestRoutes,
  ...mergeTrainRoutes,
  ...pipelineRoutes,
  ...statusRoutes,
];

/** Every endpoint there is. Routing, checks and the reference document follow from these values. */
export const routes: readonly Route[] = [
  ...instanceRoutes,
  ...userRoutes,
  ...personalAccessTokenRoutes,
  ...namespaceRoutes,
  ...groupRoutes,
  ...projectRoutes,
  ...memberRoutes,
  ...labelRoutes,
  ...milestoneRoutes,
  ...eventRoutes,
  ...snippetRoutes,
  ...noteRoutes,
  ...discussionRoutes,
  ...commitCommentRoutes,
  ...awardEmojiRoutes,
  ...issueListRoutes,
  ...issueRoutes,
  ...todoRoutes,
  ...httpIntegrationRoutes,
  ...alertSettingsRoutes,
  ...alertRoutes,
  ...metricImageRoutes,
  ...routesOfMergeRequests,
];
