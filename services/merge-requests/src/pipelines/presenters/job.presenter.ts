import { type UserRow, userReference } from '@switchyard/directory';
import type { Commit } from '../../git';
import { commitObject, dateTime, optionalDateTime } from '../../repositories';
import type { JobView } from '../domain/pipeline';
import { externalStage } from '../domain/pipeline-status';
import { type PipelineRendering, presentPipelineBasic } from './pipeline.presenter';

const seconds = (from: Date | undefined, to: Date | undefined): number | null =>
  from === undefined || to === undefined ? null : Math.max(0, to.getTime() - from.getTime()) / 1_000;

const person = (user: UserRow | undefined, externalUrl: string) =>
  user === undefined ? null : userReference(user, externalUrl);

/** A status name of a pipeline as a job. An outside CI runs it: there are no artifacts and no runner here. */
export const presentJob = (
  { status, author, pipeline }: JobView,
  commit: Commit | undefined,
  place: PipelineRendering,
) => ({
  id: status.id,
  name: status.name,
  stage: externalStage,
  status: status.status,
  ref: status.ref,
  tag: pipeline.tag,
  coverage: status.coverage ?? null,
  allow_failure: status.allowFailure,
  created_at: dateTime(status.createdAt),
  started_at: optionalDateTime(status.startedAt),
  finished_at: optionalDateTime(status.finishedAt),
  erased_at: null,
  duration: seconds(status.startedAt, status.finishedAt),
  queued_duration: seconds(status.createdAt, status.startedAt),
  user: person(author, place.externalUrl),
  commit: commit === undefined ? null : commitObject(commit, place, { trailers: false }),
  pipeline: presentPipelineBasic(pipeline, place),
  web_url: `${place.externalUrl}/${place.fullPath}/-/jobs/${status.id}`,
  artifacts: [],
  artifacts_expire_at: null,
  runner: null,
  archived: pipeline.archived,
});

/** What stands for the log of a job that an outside CI keeps (ADR 35). */
export const presentTrace = (address: string): string => `The log of this job is at ${address}\n`;
