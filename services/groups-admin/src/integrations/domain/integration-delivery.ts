import { type IntegrationKind, isSwitchedOn, type SwitchName } from '@switchyard/integration-kinds';
import type { IntegrationRow } from './integration';
import { chatKinds, senderSettings } from './senders';
import { refOf, type SentChange } from './senders/change-body';
import { chatMessage, isOfIncident, pipelineEnd } from './senders/chat-message';
import { namesIn, type SenderSettings } from './senders/outgoing';
import { isOfBranch } from './senders/trackers';

/** What becomes of a change for one integration, and by which rule. */
export interface IntegrationDecision {
  readonly decision: 'queued' | 'skipped';
  readonly rule: string;
}

const switches: Readonly<Record<string, readonly [open: SwitchName, confidential: SwitchName]>> = {
  push: ['push_events', 'push_events'],
  tag_push: ['tag_push_events', 'tag_push_events'],
  issue: ['issues_events', 'confidential_issues_events'],
  note: ['note_events', 'confidential_note_events'],
  merge_request: ['merge_requests_events', 'merge_requests_events'],
  pipeline: ['pipeline_events', 'pipeline_events'],
  job: ['job_events', 'job_events'],
  deployment: ['deployment_events', 'deployment_events'],
  alert: ['alert_events', 'alert_events'],
  project: ['project_events', 'project_events'],
  subgroup: ['subgroup_events', 'subgroup_events'],
};

/** The switch that decides on a change; undefined where the kind does not take it. */
function switchOf(kind: IntegrationKind, change: SentChange): SwitchName | undefined {
  const [open, confidential] = switches[change.kind] ?? [];
  const own = change.confidential ? confidential : open;
  // A confidential incident is confidential first.
  const candidates: (SwitchName | undefined)[] =
    isOfIncident(change) && !change.confidential
      ? ['incident_events', own]
      : change.kind === 'push'
        ? [own, 'commit_events']
        : [own];
  return candidates.find((name) => name !== undefined && kind.switches.includes(name));
}

/** Whether the branch of a push, pipeline or deployment is among those to be notified of (G-4.4-9). */
function isNotifiedBranch(settings: SenderSettings, change: SentChange): boolean {
  const { kind, body } = change;
  const which = settings.text('branches_to_be_notified');
  const isFiltered = kind === 'push' || kind === 'pipeline' || kind === 'deployment';
  const isTag = body.flag('object_attributes.tag') || body.flag('tag');
  if (which === '' || which === 'all' || !isFiltered || isTag) return true;
  const isDefault = refOf(change) === body.text('project.default_branch');
  const isProtected = body.flag('ref_protected') || body.flag('object_attributes.protected_ref');
  if (which === 'default') return isDefault;
  return which === 'protected' ? isProtected : isDefault || isProtected;
}

const labelsOf = ({ body }: SentChange): Set<string> =>
  new Set(
    ['labels', 'object_attributes.labels', 'merge_request.labels', 'issue.labels'].flatMap((path) =>
      body.list(path).map((label) => label.text('title')),
    ),
  );

/** Whether what happened has the labels to be notified of; changes that have no labels always have. */
function hasNotifiedLabels(settings: SenderSettings, change: SentChange): boolean {
  const wanted = namesIn(settings.text('labels_to_be_notified')).map((name) => name.replace(/^~?"?|"$/g, ''));
  if (wanted.length === 0 || !['issue', 'merge_request', 'note'].includes(change.kind)) return true;
  const labels = labelsOf(change);
  return settings.text('labels_to_be_notified_behavior') === 'match_all'
    ? wanted.every((name) => labels.has(name))
    : wanted.some((name) => labels.has(name));
}

/** Whether an integration needs to know how the pipeline before ended. */
export const followsStatus = ({ values }: Pick<IntegrationRow, 'values'>): boolean =>
  values.notify_only_when_pipeline_status_changes === true;

/**
 * Decides whether an active integration sends a change; undefined where its kind has nothing to do with it.
 * @param before how the pipeline before on the same branch ended; undefined where none has
 */
export function decideDelivery(
  kind: IntegrationKind,
  { values, switches: set }: Pick<IntegrationRow, 'values' | 'switches'>,
  change: SentChange,
  before: string | undefined,
): IntegrationDecision | undefined {
  const name = kind.sends ? switchOf(kind, change) : undefined;
  if (name === undefined || (chatKinds.has(kind.slug) && chatMessage(change) === undefined)) return undefined;
  const skipped = (rule: string): IntegrationDecision => ({ decision: 'skipped', rule });
  const settings = senderSettings(kind.slug, values, {}, set);
  const isWatched = kind.slug === 'datadog' && (name === 'pipeline_events' || name === 'job_events');
  const isOn = isWatched ? settings.flag('datadog_ci_visibility') : (set[name] ?? isSwitchedOn(kind, name));
  if (!isOn) return skipped('event_switch');
  if (!isNotifiedBranch(settings, change) || !isOfBranch(settings, change)) return skipped('branch_filter');
  if (!hasNotifiedLabels(settings, change)) return skipped('label_filter');
  const end = pipelineEnd(change);
  if (end === 'success' && settings.flag('notify_only_broken_pipelines')) return skipped('only_broken_pipelines');
  if (end !== undefined && followsStatus({ values }) && end === before) return skipped('same_pipeline_status');
  return { decision: 'queued', rule: 'event_switch' };
}
