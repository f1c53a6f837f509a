import { z } from '@switchyard/config';
import type { ImportedPeople } from '@switchyard/directory';
import { recordFields } from '@switchyard/service';
import { environmentProblems } from '../domain/environment';
import type { ImportedDeployment, ImportedEnvironment } from '../domain/imported-deployment';

const { iid, text, sha, user, time } = recordFields;

/** Merge requests that a deployment brought in: no more commits are looked at where it is made. */
const maxMergeRequests = 20_000;

/** An environment as an archive has it (ADR 60). */
export const environmentRecord = z
  .object({
    name: text(255),
    description: text(10_000).nullable(),
    external_url: text(255).nullable(),
    tier: z.enum(['production', 'staging', 'testing', 'development', 'other']),
    state: z.enum(['available', 'stopped']),
    auto_stop_at: time.nullable(),
    auto_delete_at: time.nullable(),
    created_at: time,
    updated_at: time,
  })
  .transform((given, { addIssue }): ImportedEnvironment => {
    const { name, description, tier, state } = given;
    const [problem] = Object.entries(environmentProblems({ name, description, externalUrl: given.external_url }));
    if (problem !== undefined) addIssue(`${problem[0]}: ${problem[1].join(', ')}`);
    return {
      ...{ name, tier, state, description: description ?? undefined, externalUrl: given.external_url ?? undefined },
      ...{ autoStopAt: given.auto_stop_at ?? undefined, autoDeleteAt: given.auto_delete_at ?? undefined },
      ...{ createdAt: given.created_at, updatedAt: given.updated_at },
    };
  });

/** A deployment as an archive has it (ADR 60). */
export const deploymentRecord = z.object({
  iid,
  environment: text(255),
  user,
  sha,
  ref: text(255),
  tag: z.boolean(),
  status: z.enum(['created', 'running', 'success', 'failed', 'canceled']),
  last: z.boolean(),
  merge_request_iids: z.array(iid).max(maxMergeRequests),
  created_at: time,
  updated_at: time,
  finished_at: time.nullable(),
});

type DeploymentRecord = z.infer<typeof deploymentRecord>;

/** Names of who made deployments. */
export const makersOf = (given: readonly DeploymentRecord[]): (string | null)[] => given.map(({ user: name }) => name);

/** A deployment of an archive with who made it as a user. */
export const toImported =
  (people: ImportedPeople) =>
  ({ user: name, last: isLast, merge_request_iids, ...record }: DeploymentRecord): ImportedDeployment => ({
    ...{ iid: record.iid, environment: record.environment, sha: record.sha, ref: record.ref, tag: record.tag },
    ...{ status: record.status, isLast, mergeRequestIids: merge_request_iids, userId: people.writer(name) },
    ...{ createdAt: record.created_at, updatedAt: record.updated_at, finishedAt: record.finished_at ?? undefined },
  });
