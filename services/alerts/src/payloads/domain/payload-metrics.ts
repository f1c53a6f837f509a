import { writerFor } from './exact-json';
import { fingerprintText } from './fingerprint';
import type { PayloadRules } from './payload-custom';
import { parseTimestamp } from './payload-timestamp';
import { addAttributes, firstText, isObject, type JsonObject, objectIn, own, textOf } from './payload-value';
import type { AlertAttribute, PayloadItem, ReportedAlert } from './reported-alert';
import { metricsSeverity } from './severity';

/** Keys that a payload of the metrics format has, all of them (G-4.12-3). */
const topLevelKeys = [
  ...['alerts', 'commonAnnotations', 'commonLabels', 'externalURL', 'groupKey', 'groupLabels', 'receiver', 'status'],
  'version',
];

/** True for a payload of the metrics format: all nine keys, and version `"4"` (G-4.12-3). */
export const isMetricsPayload = (payload: JsonObject): boolean =>
  topLevelKeys.every((key) => Object.hasOwn(payload, key)) && payload.version === '4';

const titleLength = 200;
const descriptionLength = 1_000;

/** Name of the tool (G-4.12-3). */
const monitoringTool = 'Prometheus';

/** Names in both spellings (G-13-1). */
const spellings = (name: string): string[] => [`platform_${name}`, `gitlab_${name}`];
const environmentNames = spellings('environment_name');
const markdownNames = spellings('incident_markdown');
const yLabelNames = spellings('y_label');

/** Annotations and labels with a field of their own; the others become attributes. */
const knownAnnotations = new Set(['title', 'summary', 'description', 'runbook', ...markdownNames, ...yLabelNames]);
const knownLabels = new Set(['alertname', 'severity', ...environmentNames]);

/**
 * Reads the items of a payload in the metrics format, in their order; undefined when `alerts` is no array.
 * @param text the payload as received
 */
export function readMetricsPayload(payload: JsonObject, text: string, rules: PayloadRules): PayloadItem[] | undefined {
  const { alerts } = payload;
  const write = writerFor(text);
  return Array.isArray(alerts) ? alerts.map((item) => readItem(item, payload, rules, write)) : undefined;
}

function readItem(
  item: unknown,
  group: JsonObject,
  { digest, now }: PayloadRules,
  write: (item: JsonObject) => string,
): PayloadItem {
  if (!isObject(item)) return { kind: 'rejected', reason: 'not_an_object', title: undefined };
  const annotations = objectIn(item, 'annotations');
  const labels = objectIn(item, 'labels');
  const titles = [own(annotations, 'title'), own(annotations, 'summary'), own(labels, 'alertname')];
  const title = firstText(titles, titleLength);
  if (title === undefined) return { kind: 'rejected', reason: 'title_missing', title: undefined };
  const reportedStart = own(item, 'startsAt');
  if (reportedStart === undefined || reportedStart === null || reportedStart === '')
    return { kind: 'rejected', reason: 'starts_at_missing', title };
  const startsAt = parseTimestamp(reportedStart);
  if (startsAt === undefined) return { kind: 'rejected', reason: 'starts_at_invalid', title };
  const endsAt = parseTimestamp(own(item, 'endsAt'));
  const generatorUrl = firstText([own(item, 'generatorURL'), own(item, 'generatorUrl')]);
  const query = queryOf(generatorUrl);
  const alert: ReportedAlert = {
    isEnd: isEnd(item, group, endsAt, now),
    title,
    description: textOf(own(annotations, 'description'), descriptionLength),
    severity: metricsSeverity(own(labels, 'severity')),
    service: undefined,
    monitoringTool,
    hosts: [],
    fingerprint: digest(
      fingerprintText(own(item, 'fingerprint')) ?? [reportedStart, firstText(titles), query].join('/'),
    ),
    startsAt,
    endsAt,
    environment: firstText(environmentNames.map((name) => own(labels, name))),
    runbook: textOf(own(annotations, 'runbook')),
    incidentMarkdown: firstText(markdownNames.map((name) => own(annotations, name))),
    query,
    yLabel: firstText([...yLabelNames.map((name) => own(annotations, name)), ...titles]),
    generatorUrl,
    attributes: furtherAttributes(annotations, labels),
    payload: write(item),
  };
  return { kind: 'reported', alert };
}

/**
 * The status of the item decides: a `firing` group may contain resolved items, and a firing item may have an `endsAt`
 * at which it expires. Without a status, an end in the past decides, else the status of the group.
 */
function isEnd(item: JsonObject, group: JsonObject, endsAt: Date | undefined, now: Date): boolean {
  const status = textOf(own(item, 'status'))?.trim().toLowerCase();
  if (status === 'resolved' || status === 'firing') return status === 'resolved';
  if (endsAt !== undefined) return endsAt <= now;
  return textOf(own(group, 'status'))?.trim().toLowerCase() === 'resolved';
}

/** The query that raised the alert: parameter `g0.expr` of the generator's address. */
function queryOf(generatorUrl: string | undefined): string | undefined {
  const at = generatorUrl?.indexOf('?') ?? -1;
  if (generatorUrl === undefined || at === -1) return undefined;
  const [parameters = ''] = generatorUrl.slice(at + 1).split('#', 1);
  return textOf(new URLSearchParams(parameters).get('g0.expr'));
}

/** Annotations by their names, labels as `labels/<name>`. */
function furtherAttributes(annotations: JsonObject, labels: JsonObject): AlertAttribute[] {
  const attributes: AlertAttribute[] = [];
  for (const [name, value] of Object.entries(annotations))
    if (!knownAnnotations.has(name)) addAttributes(attributes, name, value);
  for (const [name, value] of Object.entries(labels))
    if (!knownLabels.has(name)) addAttributes(attributes, `labels/${name}`, value);
  return attributes;
}
