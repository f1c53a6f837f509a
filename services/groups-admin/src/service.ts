import { join } from 'node:path';
import { defineService } from '@switchyard/service';
import { bootstrap } from './bootstrap';
import { composeDirectory, directoryWriter, publishTier } from './directory';
import { variables } from './edges';
import { PrismaClient } from './generated/prisma/client';
import { composeGroups } from './groups';
import { composeIssuableCounts } from './issuable-counts';
import { composeLabels } from './labels';
import { composeMembers } from './members';
import { composeMilestones } from './milestones';
import { composeNamespaces } from './namespaces';
import { composeProjects } from './projects';
import { composePurge } from './purge';
import { composeTokens, presentedDigest, tokenDigest } from './tokens';
import { composeUsers } from './users';

/** groups-admin: users, groups, projects and what belongs to them; the authority on who may see what. */
export const service = defineService({
  name: 'groups-admin',
  variables,
  migrations: join(__dirname, '..', 'prisma', 'migrations'),
  peers: [],
  needs: { prisma: PrismaClient },
  async areas(given) {
    const { config, db, prisma } = given;
    const directory = directoryWriter(db, prisma);
    const digest = tokenDigest(config.SWITCHYARD_SECRET);
    await bootstrap(directory.transaction, digest, config.SWITCHYARD_ROOT_TOKEN);
    await publishTier(directory.transaction, config.SWITCHYARD_TIER);

    const members = composeMembers(given, directory);
    const { owners } = members;
    const projects = composeProjects(given, directory, owners);
    return [
      composeDirectory(given, presentedDigest(digest, config.SWITCHYARD_ROOT_TOKEN)),
      composeUsers(given, directory),
      composeTokens(given, directory, digest),
      composeNamespaces(given),
      composeGroups(given, directory, { owners, listProjects: projects.listProjects }),
      projects,
      members,
      composeLabels(given, directory),
      composeMilestones(given, directory),
      composeIssuableCounts(given),
      composePurge(given, directory),
      // New areas
    ];
  },
});
