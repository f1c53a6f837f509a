import { hookProject, hookRepository, hookUser, projectUrl } from '@switchyard/directory';
import type { AlertEvent } from '@switchyard/protos/alerts/events/v1/alert_event';
import type { HookBody } from '@switchyard/protos/rpc/v1/hook_body';
import { levels } from '@switchyard/rights';
import type { HookFacts } from '../domain/hook-facts';

type Fact = NonNullable<AlertEvent['fact']>;

/** Action of a status that an alert has since. */
const actionOf: Readonly<Record<string, string>> = {
  triggered: 'trigger',
  acknowledged: 'acknowledge',
  resolved: 'resolve',
  ignored: 'ignore',
};

/** What happened; undefined for what no hook carries. */
function actionOfFact(fact: Fact, status: string): string | undefined {
  if (fact.$case === 'raised') return 'trigger';
  if (fact.$case === 'statusChanged') return actionOf[status] ?? 'update';
  return fact.$case === 'assigned' ? 'assign' : undefined;
}

/** The body of a change of an alert: the kind `alert` is this product's own, and documented in docs/change-feed.md. */
export function presentHookBodies(
  eventId: string,
  event: AlertEvent,
  facts: HookFacts,
  externalUrl: string,
): HookBody[] {
  const { alert: subject, fact, actorId, occurredAt } = event;
  const project = facts.projects.get(subject?.projectId ?? 0);
  const alert = facts.alerts.get(subject?.id ?? 0);
  if (subject === undefined || fact === undefined || project === undefined || alert === undefined) return [];
  const action = actionOfFact(fact, subject.status);
  if (action === undefined) return [];
  const users = (ids: readonly number[]) =>
    ids.flatMap((id) => facts.users.get(id) ?? []).map((user) => hookUser(user, externalUrl));
  const [user = null] = users([actorId]);
  const body = {
    object_kind: 'alert',
    event_type: 'alert',
    user,
    project: hookProject(project, externalUrl),
    object_attributes: {
      id: subject.id,
      iid: subject.iid,
      project_id: subject.projectId,
      title: subject.title,
      description: alert.description,
      severity: subject.severity,
      status: subject.status,
      service: alert.service,
      monitoring_tool: alert.monitoring_tool,
      hosts: alert.hosts,
      fingerprint: alert.fingerprint,
      events: alert.events,
      environment: alert.environment,
      runbook: alert.runbook,
      details: alert.details,
      incident_iid: subject.incidentIid === 0 ? null : subject.incidentIid,
      started_at: alert.started_at,
      ended_at: alert.ended_at,
      created_at: alert.created_at,
      updated_at: alert.updated_at,
      url: `${projectUrl(project, externalUrl)}/-/alert_management/${subject.iid}/details`,
      action,
    },
    changes: changesOf(fact, subject.status, alert.assignee_ids, users),
    assignees: users(alert.assignee_ids),
    repository: hookRepository(project, externalUrl),
  };
  return [
    {
      kind: 'alert',
      action,
      confidential: false,
      projectId: project.id,
      groupId: 0,
      ref: '',
      objectKey: `alert:${subject.id}`,
      actorId,
      occurredAt,
      json: Buffer.from(JSON.stringify(body)),
      authorId: 0,
      audienceIds: [],
      eventId,
      feature: 'monitor',
      // Alerts are read by Developers of their project (G-4.12).
      leastLevel: levels.developer,
    },
  ];
}

function changesOf(
  fact: Fact,
  status: string,
  assigneeIds: readonly number[],
  users: (ids: readonly number[]) => readonly unknown[],
) {
  if (fact.$case === 'statusChanged') return { status: { previous: fact.value.previous, current: status } };
  if (fact.$case !== 'assigned') return {};
  const { addedAssigneeIds, removedAssigneeIds } = fact.value;
  const before = [...assigneeIds.filter((id) => !addedAssigneeIds.includes(id)), ...removedAssigneeIds];
  return { assignees: { previous: users(before), current: users(assigneeIds) } };
}
