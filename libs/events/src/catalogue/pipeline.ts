import { PipelineEvent } from '@switchyard/protos/merge_requests/events/v1/pipeline_event';
import { defineEvent } from '../event';
import { factEventId } from './fact-event';

/** Pipelines, their jobs and the ends of their runs, in order per pipeline (see the proto for the ids of events). */
export const pipelineEvents = defineEvent({
  stream: 'merge-requests.pipeline',
  version: 1,
  type: 'pipeline.changed',
  message: PipelineEvent,
  key: (event) => String(event.pipelineId),
});

/** Id of the end of a run. */
export const pipelineRunEndedId = (pipelineId: number, run: number): string =>
  `pipeline_run_ended:${pipelineId}:${run}`;

/** Id of any other event of `pipelineEvents`; that of `jobChanged` has the id of the job. */
export const pipelineEventId = factEventId<PipelineEvent>('pipeline');
