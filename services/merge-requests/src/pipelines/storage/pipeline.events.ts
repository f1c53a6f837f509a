import type { Tx } from '@switchyard/database';
import { appendAllToOutbox, pipelineEventId, pipelineEvents } from '@switchyard/events';
import type { CommitStatus, Pipeline } from '../domain/pipeline';
import type { CommitStatusState, PipelineStatus } from '../domain/pipeline-status';

/** What happened to a pipeline, or to one of its jobs. */
export type PipelineFact =
  | { readonly kind: 'created' }
  /** `version` is that of its row after the change. */
  | { readonly kind: 'status_changed'; readonly oldStatus: PipelineStatus; readonly version: number }
  /** The job after the change; it had no status before when it is new. */
  | { readonly kind: 'job_changed'; readonly job: CommitStatus; readonly oldStatus: CommitStatusState | undefined };

/** A fact, and the pipeline as it stands after it. */
export interface PipelineFactInput {
  readonly pipeline: Pipeline;
  readonly fact: PipelineFact;
  /** 0 when no user did it. */
  readonly actorId: number;
  readonly occurredAt: Date;
}

const wireFact = ({ pipeline, fact }: PipelineFactInput) => {
  switch (fact.kind) {
    case 'created':
      return { id: pipelineEventId('created', pipeline.id), fact: { $case: 'created' as const, value: {} } };
    case 'status_changed':
      return {
        id: pipelineEventId('statusChanged', pipeline.id, fact.version),
        fact: { $case: 'statusChanged' as const, value: { oldStatus: fact.oldStatus } },
      };
    case 'job_changed': {
      const { job, oldStatus } = fact;
      const { id: jobId, name, status, allowFailure, userId, createdAt, startedAt, finishedAt } = job;
      return {
        id: pipelineEventId('jobChanged', jobId, status),
        fact: {
          $case: 'jobChanged' as const,
          value: {
            jobId,
            name,
            oldStatus: oldStatus ?? '',
            status,
            allowFailure,
            userId,
            createdAt,
            startedAt,
            finishedAt,
          },
        },
      };
    }
  }
};

/**
 * Appends the events of some facts, in order and in one statement, in the transaction that made them true. The rows of
 * their pipelines must be locked.
 */
export const publishPipelineFacts = (tx: Tx, inputs: readonly PipelineFactInput[]): Promise<void> =>
  appendAllToOutbox(
    tx,
    pipelineEvents,
    inputs.map((input) => {
      const { pipeline, actorId, occurredAt } = input;
      const { id, fact } = wireFact(input);
      const { iid, sha, ref, tag, source, userId, mergeRequestId = 0, status } = pipeline;
      const { createdAt, startedAt, finishedAt, duration, queuedDuration } = pipeline;
      return {
        id,
        payload: {
          pipelineId: pipeline.id,
          projectId: pipeline.projectId,
          occurredAt,
          pipeline: {
            iid,
            sha,
            ref,
            tag,
            source,
            userId,
            mergeRequestId,
            status,
            createdAt,
            startedAt,
            finishedAt,
            duration,
            queuedDuration,
          },
          actorId,
          fact,
        },
      };
    }),
  );

/** Publishes pipelines that were just made. */
export const publishCreated = (tx: Tx, pipelines: readonly Pipeline[]): Promise<void> =>
  publishPipelineFacts(
    tx,
    pipelines.map((pipeline) => ({
      pipeline,
      fact: { kind: 'created' },
      actorId: pipeline.userId,
      occurredAt: pipeline.createdAt,
    })),
  );
