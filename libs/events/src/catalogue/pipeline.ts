import { PipelineEvent } from '@switchyard/protos/merge_requests/events/v1/pipeline_event';
import { defineEvent } from '../event';

/** Ends of the runs of pipelines that job tokens were issued for, in order per pipeline. */
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
