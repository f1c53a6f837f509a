import { anonymous } from '@switchyard/rpc';
import { readKeyFile } from '@switchyard/secrets';
import { type Area, defineService } from '@switchyard/service';
import { composeAccessRequests } from './access-requests';
import { composeAvatars } from './avatars';
import { bootstrap } from './bootstrap';
import { composeBroadcastMessages } from './broadcast-messages';
import { composeChanges } from './changes';
import { composeCustomAttributes } from './custom-attributes';
import { composeDeliveries } from './deliveries';
import { composeDeployTokens } from './deploy-tokens';
import { composeDirectory, type DirectoryWriter, directoryWriter, publishTier } from './directory';
import { type Edges, variables } from './edges';
import { PrismaClient } from './generated/prisma/client';
import { composeGroups } from './groups';
import { composeIdempotency } from './idempotency';
import { composeIntegrations } from './integrations';
import { composeIssuableCounts } from './issuable-counts';
import { composeJobTokens } from './job-tokens';
import { composeLabels } from './labels';
import { composeMembers } from './members';
import { migrationSets } from './migrations';
import { composeMilestones } from './milestones';
import { composeNamespaces } from './namespaces';
import { composeProjectRecords } from './project-records';
import { composeProjects } from './projects';
import { composePurge } from './purge';
import { composeRequestCounts } from './request-counts';
import { rotateSecrets } from './rotate-secrets';
import { composeServiceAccounts } from './service-accounts';
import { composeSettings } from './settings';
import { composeShares } from './shares';
import { composeSshKeys } from './ssh-keys';
import { composeStatistics } from './statistics';
import { composeTokens, presentedDigest, type TokenDigest, tokenDigest } from './tokens';
import { composeTopics } from './topics';
import { composeUsers } from './users';
import { composeVariables } from './variables';
import { composeWebhooks } from './webhooks';

/** Builds the areas, each from what it needs of those before it; tests look into those that are named. */
export function composeAreas(given: Edges, directory: DirectoryWriter, digest: TokenDigest) {
  const settings = composeSettings(given);
  const avatars = composeAvatars(given, directory);
  const { keepAvatar } = avatars;
  const users = composeUsers(given, directory, { keepAvatar, settings: settings.current });
  const members = composeMembers(given, directory);
  const { owners } = members;
  const tokens = composeTokens(given, directory, {
    digest,
    settings: settings.current,
    removeUser: (userId) => users.deleteUser(userId, anonymous),
  });
  const projects = composeProjects(given, directory, { owners, keepAvatar, settings: settings.current });
  const groups = composeGroups(given, directory, {
    owners,
    listProjects: projects.listProjects,
    transferProject: projects.transferProject,
    keepAvatar,
    settings: settings.current,
  });
  const shares = composeShares(given, directory, groups.showGroup);
  const purge = composePurge(given, directory, settings.current);
  const deliveries = composeDeliveries(given);
  const webhooks = composeWebhooks(given, deliveries);
  const integrations = composeIntegrations(given, deliveries);
  const labels = composeLabels(given, directory);
  const milestones = composeMilestones(given, directory);
  const all: Area[] = [
    composeDirectory(given, presentedDigest(digest, given.config.SWITCHYARD_ROOT_TOKEN)),
    avatars,
    users,
    tokens,
    composeServiceAccounts(given, { users, tokens: tokens.personal, settings: settings.current }),
    composeDeployTokens(given, digest),
    composeJobTokens(given, digest),
    composeIdempotency(given),
    composeRequestCounts(given),
    composeNamespaces(given),
    groups,
    projects,
    members,
    labels,
    milestones,
    composeIssuableCounts(given),
    purge,
    settings,
    composeSshKeys(given, directory),
    shares,
    composeTopics(given, directory, keepAvatar),
    composeVariables(given),
    integrations,
    composeAccessRequests(given, directory, members),
    composeBroadcastMessages(given),
    composeCustomAttributes(given),
    composeStatistics(given),
    composeChanges(given, { followers: [webhooks.follower, integrations.follower] }),
    deliveries,
    webhooks,
    composeProjectRecords(given, avatars, {
      ...projects.records,
      ...members.records(projects.levelOf),
      labels: labels.records,
      milestones: milestones.records,
    }),
    // New areas
  ];
  return { all, members, shares, purge, deliveries, webhooks };
}

const digestKeyVariable = 'SWITCHYARD_TOKEN_DIGEST_KEY_FILE';

/** groups-admin: users, groups, projects and what belongs to them; the authority on who may see what. */
export const service = defineService({
  name: 'groups-admin',
  variables,
  migrationSets,
  peers: ['merge-requests', 'collaboration', 'alerts'],
  needs: { blobs: true, prisma: PrismaClient },
  commands: { 'rotate-secrets': rotateSecrets },
  async areas(given) {
    const { config, db, prisma } = given;
    const directory = directoryWriter(db, prisma);
    const digest = tokenDigest(readKeyFile(digestKeyVariable, config[digestKeyVariable]));
    await bootstrap(directory.transaction, digest, config.SWITCHYARD_ROOT_TOKEN);
    await publishTier(directory.transaction, config.SWITCHYARD_TIER);
    return composeAreas(given, directory, digest).all;
  },
});
