import { invalid, notFound } from '@switchyard/errors';
import type { HttpIntegration } from '../../integrations';
import { hasMapping, type ReadSample, sampleProblem } from '../../integrations';
import type { ReadPayload } from '../../payloads';
import { readMapping, readPayload, type WrittenMapping } from '../../payloads';
import { type AlertEndpoints, rulesOf } from './receive-alerts';

/** What previews need. */
export interface PreviewEdges {
  readonly endpoints: AlertEndpoints;
  readonly integrations: { find(projectId: number, id: number): Promise<HttpIntegration | undefined> };
  readonly readSample: ReadSample;
  readonly clock: () => Date;
}

/** Which payload to preview, and how to read it. */
export interface PreviewRequest {
  readonly projectId: number;
  readonly integrationId: number;
  /** JSON; undefined for the integration's sample. */
  readonly payload: string | undefined;
  /** Undefined for the integration's own. */
  readonly mapping: readonly WrittenMapping[] | undefined;
}

/**
 * Reads a payload as the integration would, by its own mapping or the one given. Fails with `not_found`; `invalid`,
 * with every problem.
 */
export const previewPayload =
  ({ endpoints, integrations, readSample, clock }: PreviewEdges) =>
  async ({ projectId, integrationId, payload, mapping }: PreviewRequest): Promise<ReadPayload> => {
    const endpoint = await endpoints.find({ id: projectId }, { id: integrationId });
    const integration = await integrations.find(projectId, integrationId);
    if (endpoint?.integration === undefined || integration === undefined) throw notFound('HTTP integration');
    const problems: Record<string, string[]> = {};
    // Paths are not checked: a payload may lack attributes of the sample.
    const read = readMapping(hasMapping(endpoint.tier) ? (mapping ?? []) : [], undefined);
    if (read.problems.length > 0) problems.payload_attribute_mappings = read.problems;
    const text = payload ?? integration.payloadExample;
    const sample = text === undefined ? { problem: "can't be blank" } : readSample(text);
    const problem = sampleProblem(sample);
    if (problem !== undefined) problems.payload = [problem];
    if (text !== undefined && 'value' in sample && Object.keys(problems).length === 0) {
      const rules = rulesOf(endpoint, mapping === undefined ? integration.mapping : read.mapping, clock());
      const found = readPayload(sample.value, text, rules);
      if (found !== undefined) return found;
      problems.payload = ['has no array of alerts'];
    }
    throw invalid(problems);
  };
