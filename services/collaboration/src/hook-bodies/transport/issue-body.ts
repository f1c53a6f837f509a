import { hookLabel, hookProject, hookRepository, hookUser } from '@switchyard/directory';
import type { IssueEvent, IssueUpdated } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { levels } from '@switchyard/rights';
import type { HookFacts, HookIssue } from '../domain/hook-facts';
import { type Changed, fieldChanges, setBefore, stateChange } from '../domain/issue-changes';
import type { HookDraft } from './hook-draft';
import { issuePart } from './issue-part';

type Subject = NonNullable<IssueEvent['issue']>;

const actions = { created: 'open', updated: 'update', closed: 'close', reopened: 'reopen' } as const;
type Carried = keyof typeof actions;

/** The issue as the event says it, over what else is known of it now: a later change has a body of its own. */
const asOfEvent = (now: HookIssue, event: Subject): HookIssue => ({
  ...now,
  title: event.title,
  state: event.state || now.state,
  issue_type: event.issueType,
  assignee_ids: event.assigneeIds,
  label_ids: event.labelIds,
});

function changesOf(event: IssueEvent, now: HookIssue, facts: HookFacts, externalUrl: string): Record<string, Changed> {
  const { fact } = event;
  if (fact?.$case === 'closed' || fact?.$case === 'reopened')
    return stateChange(fact.$case === 'closed' ? 'closed' : 'opened');
  if (fact?.$case !== 'updated') return {};
  return { ...fieldChanges(fact.value.changes), ...setChanges(fact.value, event.issue, now, facts, externalUrl) };
}

/** The changes of what has no short value: the description, and who and what is on the issue. */
function setChanges(
  edit: IssueUpdated,
  subject: Subject | undefined,
  now: HookIssue,
  facts: HookFacts,
  externalUrl: string,
): Record<string, Changed> {
  const labels = (ids: readonly number[]) => ids.flatMap((id) => facts.labels.get(id) ?? []).map(hookLabel);
  const users = (ids: readonly number[]) =>
    ids.flatMap((id) => facts.users.get(id) ?? []).map((user) => hookUser(user, externalUrl));
  const { labelIds = [], assigneeIds = [] } = subject ?? {};
  const changes: Record<string, Changed> = {};
  if (edit.oldDescription !== undefined)
    changes.description = { previous: edit.oldDescription, current: now.description ?? '' };
  if (edit.changedFields.includes('labels')) {
    const sets = { added: edit.addedLabelIds, removed: edit.removedLabelIds };
    changes.labels = { previous: labels(setBefore(labelIds, sets)), current: labels(labelIds) };
  }
  if (edit.changedFields.includes('assignees')) {
    const sets = { added: edit.addedAssigneeIds, removed: edit.removedAssigneeIds };
    changes.assignees = { previous: users(setBefore(assigneeIds, sets)), current: users(assigneeIds) };
  }
  return changes;
}

/** The body of a change of an issue (G-6-3, Issue Hook and Confidential Issue Hook). */
export function issueBodies(event: IssueEvent, facts: HookFacts, externalUrl: string): HookDraft[] {
  const { issue: subject, fact, actorId } = event;
  const project = facts.projects.get(subject?.projectId ?? 0);
  const now = facts.issues.get(subject?.id ?? 0);
  // An issue that is gone by now leaves nothing that a reader could look at.
  if (subject === undefined || project === undefined || now === undefined || fact === undefined) return [];
  const action = actions[fact.$case as Carried];
  const issue = asOfEvent(now, subject);
  const actor = facts.users.get(actorId);
  const assignees = issue.assignee_ids.flatMap((id) => facts.users.get(id) ?? []);
  // What became confidential since is not told to those who may not see it any more.
  const confidential = subject.confidential || now.confidential;
  const attributes = issuePart(issue, project, facts, externalUrl);
  return [
    {
      kind: 'issue',
      action,
      confidential,
      objectKey: `issue:${subject.id}`,
      projectId: project.id,
      feature: 'issues',
      leastLevel: confidential ? levels.planner : 0,
      authorId: confidential ? subject.authorId : 0,
      audienceIds: confidential ? now.assignee_ids : [],
      body: {
        object_kind: 'issue',
        event_type: confidential ? 'confidential_issue' : 'issue',
        user: actor === undefined ? null : hookUser(actor, externalUrl),
        project: hookProject(project, externalUrl),
        object_attributes: { ...attributes, action },
        labels: attributes.labels,
        changes: changesOf(event, now, facts, externalUrl),
        repository: hookRepository(project, externalUrl),
        assignees: assignees.map((user) => hookUser(user, externalUrl)),
      },
    },
  ];
}
