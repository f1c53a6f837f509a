import { type AttributeMapping, type MappedField, mappedFields, type PayloadPath, valueAt } from './attribute-mapping';
import { automaticFingerprintText, fingerprintText } from './fingerprint';
import { parseTimestamp } from './payload-timestamp';
import { addAttributes, firstText, hostsOf, type JsonObject, own, textOf } from './payload-value';
import type { AlertAttribute, ReportedAlert } from './reported-alert';
import { customSeverity } from './severity';

/** What the result of reading depends on, apart from the payload. */
export interface PayloadRules {
  /** SHA-1 of a text in UTF-8, as 40 hex digits. */
  readonly digest: (text: string) => string;
  /** Paths of attributes in a custom payload; none outside Premium (G-4.12-15). */
  readonly mappings: readonly AttributeMapping[];
  /** Whether a payload without a fingerprint gets one: Premium, and a setting of the project (G-4.12-7). */
  readonly fingerprinting: boolean;
  /** Time of arrival. */
  readonly now: Date;
}

/** Title of a payload that has none. */
const titleByDefault = 'New: Alert';

/** Lengths of G-4.12-9. */
const lengths = { title: 200, description: 1_000, service: 100, monitoring_tool: 100 } as const;

/** Names of the environment in both spellings (G-13-1). */
const environmentNames = ['platform_environment_name', 'gitlab_environment_name'];
const markdownNames = ['platform_incident_markdown', 'gitlab_incident_markdown'];

/** Properties with a field of their own; all others become attributes. */
const known = new Set<string>([
  ...mappedFields.filter((field) => field !== 'environment_name'),
  ...environmentNames,
  ...markdownNames,
]);

const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Fields that never identify an alert, at any path. */
const volatileFields: readonly MappedField[] = ['start_time', 'end_time', 'hosts'];

/**
 * Reads a payload in the custom format (api.md section 2): from the mapped path, else its fallback, else the property
 * of the format. The alert has ended when `end_time` is a timestamp, or `status` is `resolved`.
 * @param text the payload as received
 */
export function readCustomPayload(payload: JsonObject, text: string, rules: PayloadRules): ReportedAlert {
  const { mappings, digest } = rules;
  const candidates = (field: MappedField, ...names: string[]): unknown[] => {
    const mapping = mappings.find((one) => one.field === field);
    const paths: PayloadPath[] = [
      ...(mapping === undefined ? [] : [mapping.path]),
      ...(mapping?.fallbackPath === undefined ? [] : [mapping.fallbackPath]),
    ];
    return [...paths.map((path) => valueAt(payload, path)), ...names.map((name) => own(payload, name))];
  };
  const first = (field: MappedField): unknown => candidates(field, field).find(isPresent);
  const endsAt = parseTimestamp(first('end_time'));
  const given = candidates('fingerprint', 'fingerprint')
    .map(fingerprintText)
    .find((one) => one !== undefined);
  const volatilePaths = mappings.filter(({ field }) => volatileFields.includes(field)).map(({ path }) => path);
  const identity = given ?? (rules.fingerprinting ? automaticFingerprintText(payload, volatilePaths) : undefined);
  return {
    isEnd: endsAt !== undefined || textOf(own(payload, 'status'))?.trim().toLowerCase() === 'resolved',
    title: firstText(candidates('title', 'title'), lengths.title) ?? titleByDefault,
    description: firstText(candidates('description', 'description'), lengths.description),
    severity: customSeverity(first('severity')),
    service: firstText(candidates('service', 'service'), lengths.service),
    monitoringTool: firstText(candidates('monitoring_tool', 'monitoring_tool'), lengths.monitoring_tool),
    hosts: hostsOf(first('hosts')),
    fingerprint: identity === undefined ? undefined : digest(identity),
    startsAt: parseTimestamp(first('start_time')),
    endsAt,
    environment: firstText(candidates('environment_name', ...environmentNames)),
    runbook: undefined,
    incidentMarkdown: firstText(markdownNames.map((name) => own(payload, name))),
    query: undefined,
    yLabel: undefined,
    generatorUrl: undefined,
    attributes: furtherAttributes(payload),
    payload: text,
  };
}

function furtherAttributes(payload: JsonObject): AlertAttribute[] {
  const attributes: AlertAttribute[] = [];
  for (const [name, value] of Object.entries(payload)) if (!known.has(name)) addAttributes(attributes, name, value);
  return attributes;
}
