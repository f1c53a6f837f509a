import { type Area, defineService } from '@switchyard/service';
import { composeApprovalRules } from './approval-rules';
import { composeAuthorship } from './authorship';
import { composeDependencySources } from './dependency-sources';
import { composeDeployments } from './deployments';
import { type Edges, gitLimitsOf, variables } from './edges';
import { PrismaClient } from './generated/prisma/client';
import { limitGit } from './git';
import { composeHookBodies } from './hook-bodies';
import { composeJobs } from './jobs';
import {
  checkPushOptions,
  collaborationsOf,
  composeMergeRequests,
  findTestedMergeRequest,
  followPushOptions,
  followRefChanges,
  headPipelines,
  importLimitsOf,
  inviteFor,
  publishMergeRequestStates,
} from './merge-requests';
import { composeMergeTrains, targetOfTrain, testedCars, trainFollowers, verifyLandings } from './merge-trains';
import { migrationSets } from './migrations';
import { composePipelines, newestPipelineOf, rotateSecrets } from './pipelines';
import { composeProjectRecords } from './project-records';
import { composeReleases, followTags, releaseNotesOf } from './releases';
import {
  composeRepositories,
  dividedStorages,
  moveRepositories,
  relayedEndpoints,
  relayedServices,
  runAsGitWork,
} from './repositories';
import { composeRepositorySizes } from './repository-sizes';

/**
 * Builds the areas, the lowest first. What a lower one needs of a higher one is a port; what implements it rests on the
 * database alone.
 */
export function composeAreas(given: Edges) {
  const { config, db } = given;
  const jobs = composeJobs(db, config.SWITCHYARD_RECOVERY_SECONDS, dividedStorages(config));
  const below = { jobs: jobs.requests, trains: trainFollowers(db) };
  const repositories = composeRepositories(given, {
    subscribers: [followRefChanges(given, below), followPushOptions(given, below), followTags(given)],
    inviteFor: inviteFor(given),
    checkOptions: checkPushOptions,
    newestPipeline: newestPipelineOf(db),
    releaseNotes: releaseNotesOf(db),
    collaboratesOn: collaborationsOf(given),
    importLimits: importLimitsOf(db),
  });
  const pipelines = composePipelines(given, repositories, {
    findMergeRequest: findTestedMergeRequest(db),
    targetOfTrain: targetOfTrain(db),
    followers: { heads: headPipelines, cars: testedCars },
  });
  const mergeRequests = composeMergeRequests(given, { ...below, repositories, pipelines: pipelines.edges.pipelines });
  const approvalRules = composeApprovalRules(given, mergeRequests);
  const mergeTrains = composeMergeTrains(given, { jobs: jobs.requests, repositories, mergeRequests });
  const repositorySizes = composeRepositorySizes(given, repositories, jobs.requests);
  const dependencySources = composeDependencySources(given, repositories);
  const deployments = composeDeployments(given, repositories);
  const releases = composeReleases(given, repositories);
  const hookBodies = composeHookBodies(given, repositories, mergeRequests);
  const handlers = {
    ...repositories.jobHandlers,
    ...mergeRequests.jobHandlers,
    ...mergeTrains.jobHandlers,
    ...repositorySizes.jobHandlers,
  };
  const projectRecords = composeProjectRecords(given, {
    ...repositories.records,
    ...mergeRequests.records,
    approval_rules: approvalRules.records,
    landing_receipts: mergeTrains.records,
    releases: releases.records,
    ...deployments.records,
  });
  const authorship = composeAuthorship(given);
  const workers: Area = { start: () => [jobs.startWorkers(handlers)] };
  return {
    jobs,
    repositories,
    pipelines,
    mergeRequests,
    approvalRules,
    mergeTrains,
    repositorySizes,
    dependencySources,
    deployments,
    releases,
    hookBodies,
    projectRecords,
    authorship,
    workers,
  };
}

/** The service merge-requests: repositories, pipelines, merge requests and merge trains. */
export const service = defineService({
  name: 'merge-requests',
  variables,
  migrationSets,
  peers: ['groups-admin', 'collaboration', 'imports-exports'],
  needs: { directory: true, prisma: PrismaClient },
  // A ref change holds a connection while git moves the ref, so there must be more than pushes at once.
  poolSize: 20,
  commands: {
    'move-repository': moveRepositories,
    'verify-landings': verifyLandings,
    'publish-merge-request-states': publishMergeRequestStates,
    'rotate-secrets': rotateSecrets,
  },
  areas(given) {
    limitGit(gitLimitsOf(given.config));
    const {
      repositories,
      pipelines,
      mergeRequests,
      approvalRules,
      mergeTrains,
      repositorySizes,
      dependencySources,
      deployments,
      releases,
      hookBodies,
      projectRecords,
      authorship,
      workers,
    } = composeAreas(given);
    return [
      repositories,
      pipelines,
      mergeRequests,
      approvalRules,
      mergeTrains,
      repositorySizes,
      dependencySources,
      deployments,
      releases,
      hookBodies,
      projectRecords,
      authorship,
      workers,
      // New areas
    ].map((area: Area) => ({
      ...area,
      services: relayedServices(runAsGitWork(area.services ?? []), repositories.processesOf),
      http: relayedEndpoints(area.http ?? [], repositories.processesOf),
    }));
  },
});
