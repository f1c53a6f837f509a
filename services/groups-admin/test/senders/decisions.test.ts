import { integrationKind } from '@switchyard/integration-kinds';
import type { IntegrationRow } from '../../src/integrations/domain/integration';
import { decideDelivery } from '../../src/integrations/domain/integration-delivery';
import { changes } from './changes';

type Given = Partial<Pick<IntegrationRow, 'values' | 'switches'>>;

const rule = (slug: string, change: string, { values = {}, switches = {} }: Given = {}, before?: string) => {
  const [kind, sent] = [integrationKind(slug), changes[change]];
  if (kind === undefined || sent === undefined) throw new Error(`no ${slug}, or no ${change}`);
  const decided = decideDelivery(kind, { values, switches }, sent, before);
  return decided && `${decided.decision}: ${decided.rule}`;
};
const sends = 'queued: event_switch';
const all = { branches_to_be_notified: 'all' };
const pipelines = { switches: { pipeline_events: true } };
const on = (values: IntegrationRow['values']) => ({ ...pipelines, values });

test.each<[string, string, Given, string | undefined, string?]>([
  // Switches, and their defaults (G-4.4-7).
  ['slack', 'push', {}, sends],
  ['slack', 'push', { switches: { push_events: false } }, 'skipped: event_switch'],
  ['slack', 'failed pipeline', {}, 'skipped: event_switch'],
  ['slack', 'issue', { switches: { confidential_issues_events: false } }, sends],
  ['slack', 'confidential issue', { switches: { confidential_issues_events: false } }, 'skipped: event_switch'],
  ['slack', 'incident', {}, 'skipped: event_switch'],
  ['slack', 'incident', { switches: { incident_events: true, issues_events: false } }, sends],
  ['pumble', 'incident', {}, sends],
  ['slack', 'alert', { switches: { alert_events: true } }, sends],
  ['github', 'failed pipeline', {}, sends],
  ['pipelines-email', 'failed pipeline', {}, sends],
  ['jira', 'push', {}, sends],
  ['jira', 'push', { switches: { commit_events: false } }, 'skipped: event_switch'],
  ['datadog', 'job', { switches: { job_events: true } }, 'skipped: event_switch'],
  ['datadog', 'job', { values: { datadog_ci_visibility: true } }, sends],
  // What the kind has nothing to do with.
  ['slack', 'issue that is edited', {}, undefined],
  ['slack', 'running pipeline', pipelines, undefined],
  ['slack', 'job', {}, undefined],
  ['asana', 'issue', {}, undefined],
  ['redmine', 'push', {}, undefined],
  // Branches (G-4.4-9).
  ['slack', 'push of a new branch', {}, 'skipped: branch_filter'],
  ['slack', 'push of a new branch', { values: all }, sends],
  ['slack', 'push', { values: { branches_to_be_notified: 'protected' } }, sends],
  [
    'slack',
    'push of a new branch',
    { values: { branches_to_be_notified: 'default_and_protected' } },
    'skipped: branch_filter',
  ],
  ['slack', 'tag push', {}, sends],
  ['emails-on-push', 'push of a new branch', {}, sends],
  ['asana', 'push', { values: { restrict_to_branch: 'stable, main' } }, sends],
  ['asana', 'push', { values: { restrict_to_branch: 'stable' } }, 'skipped: branch_filter'],
  // Labels.
  ['slack', 'issue', { values: { labels_to_be_notified: 'bug,ui' } }, sends],
  ['slack', 'note', { values: { labels_to_be_notified: '~bug' } }, sends],
  ['slack', 'issue', { values: { labels_to_be_notified: 'ui' } }, 'skipped: label_filter'],
  [
    'slack',
    'merge request',
    { values: { labels_to_be_notified: 'bug,ui', labels_to_be_notified_behavior: 'match_all' } },
    'skipped: label_filter',
  ],
  ['slack', 'push', { values: { labels_to_be_notified: 'ui' } }, sends],
  // Ends of pipelines.
  ['slack', 'passed pipeline', pipelines, 'skipped: only_broken_pipelines'],
  ['slack', 'passed pipeline', on({ notify_only_broken_pipelines: false }), sends],
  ['slack', 'failed pipeline', on({ notify_only_when_pipeline_status_changes: true }), sends, 'success'],
  [
    'slack',
    'failed pipeline',
    on({ notify_only_when_pipeline_status_changes: true }),
    'skipped: same_pipeline_status',
    'failed',
  ],
  ['slack', 'failed pipeline', pipelines, sends, 'failed'],
])('%s of %s with %j: %s', (...[slug, change, given, expected, before]) => {
  expect(rule(slug, change, given, before)).toBe(expected);
});
