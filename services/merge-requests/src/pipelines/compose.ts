import type { Database } from '@switchyard/database';
import { type EncryptionConfig, followKeyFile, type Keyring, openKeyring, reportRotation } from '@switchyard/secrets';
import { type Area, command } from '@switchyard/service';
import { type Edges, secretVariables } from '../edges';
import type { RepositoryAccess } from '../repositories';
import { createMergeRequestPipeline, createPipeline } from './application/create-pipeline';
import { issueJobToken } from './application/issue-job-token';
import { listCiVariables } from './application/list-ci-variables';
import type { FindMergeRequest, PipelineEdges, PipelineStore, TargetOfTrain } from './application/pipeline.edges';
import { reportCommitStatus } from './application/report-commit-status';
import { causerStore } from './storage/causer.store';
import { commitPipelineStore } from './storage/commit-pipeline.store';
import { jobStore } from './storage/job.store';
import type { PipelineFollowers } from './storage/pipeline.followers';
import { pipelineStore } from './storage/pipeline.store';
import { pipelineVariableSecrets, pipelineVariableStore } from './storage/pipeline-variable.store';
import { commitStatusHandler } from './transport/commit-status.handler';
import { jobHandler } from './transport/job.handler';
import { jobTokensOf } from './transport/job-token.client';
import { pipelineHandler } from './transport/pipeline.handler';
import { variablesOf } from './transport/variables.client';

/** What pipelines need of the areas above them. */
export interface PipelinePorts {
  readonly findMergeRequest: FindMergeRequest;
  readonly targetOfTrain: TargetOfTrain;
  readonly followers: PipelineFollowers;
}

/** Pipelines as other areas read them. */
export type PipelineReader = Pick<PipelineStore, 'find'>;

/** Says of a head that it is not to be tested. */
export type SkipPipeline = PipelineStore['skip'];

/** The area, and what others use of it. */
export interface Pipelines extends Area {
  readonly edges: PipelineEdges;
}

const keyVariable = 'SWITCHYARD_MERGE_REQUESTS_SECRETS_KEY_FILE';

/** The keys of stored values; with the label of `keys` in package.json. */
const ringOf = (config: EncryptionConfig & { readonly [keyVariable]: string }): Keyring =>
  openKeyring(config, 'switchyard secrets of merge-requests', followKeyFile(keyVariable, config[keyVariable]));

/** Builds pipelines and commit statuses. */
export function composePipelines(given: Edges, repositories: RepositoryAccess, ports: PipelinePorts): Pipelines {
  const { db, config, clock, observe, peer } = given;
  const edges: PipelineEdges = {
    openRepository: repositories.openRepository,
    protectedBranches: repositories.protectedBranches,
    protectedTags: repositories.protectedTags,
    codeReaders: repositories.codeReaders,
    pipelines: pipelineStore(db, ports.followers, pipelineVariableStore(db, ringOf(config))),
    jobs: jobStore(db),
    findMergeRequest: ports.findMergeRequest,
    targetOfTrain: ports.targetOfTrain,
    accessOfCauser: causerStore(db).accessOf,
    resolveVariables: variablesOf(given.peer('groups-admin')),
    issueJobToken: jobTokensOf(peer('groups-admin')),
    externalUrl: config.SWITCHYARD_EXTERNAL_URL,
    clock,
  };
  const useCases = observe('merge_requests', {
    createPipeline: createPipeline(edges),
    createMergeRequestPipeline: createMergeRequestPipeline(edges),
    reportCommitStatus: reportCommitStatus(edges),
    listCiVariables: listCiVariables(edges),
    issueJobToken: issueJobToken(edges),
  });
  return {
    edges,
    services: [pipelineHandler(useCases, edges), commitStatusHandler(useCases, edges), jobHandler(edges)],
  };
}

/** Finds the newest pipeline of a commit; undefined when it has none. */
export const newestPipelineOf = (db: Database) => commitPipelineStore(db).newest;

/** Encrypts the values of all variables of pipelines with the current key. */
export const rotateSecrets = command({
  variables: secretVariables,
  run: ({ config, db, write }) => reportRotation(pipelineVariableSecrets(db), ringOf(config), write),
});
