import { forbidden, invalid } from '@switchyard/errors';
import { displayText, displayTextProblems } from '@switchyard/texts';
import { type PayloadMapping, readMapping, type WrittenMapping } from '../../payloads';
import { hasMapping, type IntegrationFields, type IntegrationType, maxIntegrations } from './http-integration';

/** A sample payload, read; or what is wrong with it. */
export type Sample = { readonly value: unknown } | { readonly problem: string };

/** Reads a sample payload. */
export type ReadSample = (text: string) => Sample;

/** What is wrong with a sample; undefined when nothing is. */
export const sampleProblem = (sample: Sample): string | undefined => ('problem' in sample ? sample.problem : undefined);

/** A change of an integration; undefined fields stay as they are. */
export interface HttpIntegrationChange {
  readonly name?: string | undefined;
  readonly active?: boolean | undefined;
  readonly type?: IntegrationType | undefined;
  /** JSON; empty removes it. */
  readonly payloadExample?: string | undefined;
  readonly mapping?: readonly WrittenMapping[] | undefined;
}

const written = (mapping: readonly PayloadMapping[]): WrittenMapping[] =>
  mapping.map(({ field, path, type, label = '', fallbackPath = [] }) => ({
    field,
    path: path.map(String),
    type,
    label,
    fallbackPath: fallbackPath.map(String),
  }));

/**
 * The fields of an integration after a change. In a tier without mapping, sample and mapping stay as they are
 * (G-13-16).
 * @throws AppError invalid, with every problem
 */
export function decideIntegration(
  before: IntegrationFields,
  change: HttpIntegrationChange,
  tier: string,
  readSample: ReadSample,
): IntegrationFields {
  const name = change.name === undefined ? before.name : displayText(change.name);
  const fields = { ...before, name, active: change.active ?? before.active, type: change.type ?? before.type };
  const problems: Record<string, string[]> = {};
  const ofName = change.name === undefined ? [] : displayTextProblems(change.name);
  if (ofName.length > 0) problems.name = ofName;
  if (!hasMapping(tier)) {
    if (ofName.length > 0) throw invalid(problems);
    return fields;
  }
  const payloadExample = (change.payloadExample ?? before.payloadExample) || undefined;
  const sample = payloadExample === undefined ? undefined : readSample(payloadExample);
  const ofSample = sample === undefined ? undefined : sampleProblem(sample);
  if (ofSample !== undefined) problems.payload_example = [ofSample];
  const value = sample !== undefined && 'value' in sample ? sample.value : undefined;
  const read = readMapping(change.mapping ?? written(before.mapping), value);
  if (read.problems.length > 0) problems.payload_attribute_mappings = read.problems;
  if (read.mapping.length > 0 && payloadExample === undefined) {
    problems.payload_example = ["can't be blank while fields are mapped"];
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return { ...fields, payloadExample, mapping: read.mapping };
}

/** What a new integration is before its first change. */
export const blankIntegration: IntegrationFields = {
  type: 'HTTP',
  name: '',
  active: false,
  payloadExample: undefined,
  mapping: [],
};

/**
 * Whether a project may have one more integration.
 * @throws AppError forbidden when it has as many as its tier allows
 */
export function checkRoom(count: number, tier: string): void {
  const most = maxIntegrations(tier);
  if (count < most) return;
  throw forbidden(most === 1 ? 'Several integrations need Premium' : `A project has at most ${most} integrations`);
}
