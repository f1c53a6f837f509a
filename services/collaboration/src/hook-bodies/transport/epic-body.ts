import { hookGroup, hookLabel, hookUser } from '@switchyard/directory';
import type { EpicEvent, EpicUpdated } from '@switchyard/protos/collaboration/events/v1/epic_event';
import type { HookEpic, HookFacts } from '../domain/hook-facts';
import { type Changed, fieldChanges, setBefore, stateChange } from '../domain/issue-changes';
import { epicAudience, epicPart } from './epic-part';
import type { HookDraft } from './hook-draft';

type Subject = NonNullable<EpicEvent['epic']>;

/** What hooks call the facts that they carry. */
const actions = { created: 'open', updated: 'update', closed: 'close', reopened: 'reopen' } as const;

/** Fields whose values every reader of an epic may see: not those of its parent, nor what only its editors are shown. */
const openFields: ReadonlySet<string> = new Set(['title', 'confidential', 'color']);

function editChanges(edit: EpicUpdated, { labelIds }: Subject, now: HookEpic, facts: HookFacts) {
  const labels = (ids: readonly number[]) => ids.flatMap((id) => facts.labels.get(id) ?? []).map(hookLabel);
  const changes: Record<string, Changed> = fieldChanges(edit.changes.filter(({ field }) => openFields.has(field)));
  if (edit.oldDescription !== undefined)
    changes.description = { previous: edit.oldDescription, current: now.description ?? '' };
  if (edit.changedFields.includes('labels')) {
    const sets = { added: edit.addedLabelIds, removed: edit.removedLabelIds };
    changes.labels = { previous: labels(setBefore(labelIds, sets)), current: labels(labelIds) };
  }
  return changes;
}

function changesOf(fact: NonNullable<EpicEvent['fact']>, subject: Subject, now: HookEpic, facts: HookFacts) {
  switch (fact.$case) {
    case 'closed':
    case 'reopened':
      return stateChange(fact.$case === 'closed' ? 'closed' : 'opened');
    case 'updated':
      return editChanges(fact.value, subject, now, facts);
    default:
      return {};
  }
}

/** The body of a change of an epic: a work item of the type `Epic`, for the hooks of groups alone (G-6-3, Issue Hook). */
export function epicBodies(
  { epic: subject, fact, actorId }: EpicEvent,
  facts: HookFacts,
  externalUrl: string,
): HookDraft[] {
  const now = facts.epics.get(subject?.id ?? 0);
  const group = facts.groups.get(subject?.groupId ?? 0);
  // An epic that is gone by now leaves nothing that a reader could look at.
  if (subject === undefined || now === undefined || group === undefined || fact === undefined) return [];
  const action = actions[fact.$case as keyof typeof actions];
  const { title, state, labelIds } = subject;
  const attributes = epicPart({ ...now, title, state, label_ids: labelIds }, group, facts, externalUrl);
  const actor = facts.users.get(actorId);
  // What became confidential since is not told to those who may not see it any more.
  const confidential = subject.confidential || now.confidential;
  return [
    {
      kind: 'epic',
      action,
      projectId: 0,
      ...epicAudience(now, confidential),
      body: {
        object_kind: 'work_item',
        event_type: confidential ? 'confidential_work_item' : 'work_item',
        user: actor === undefined ? null : hookUser(actor, externalUrl),
        group: hookGroup(group),
        object_attributes: { ...attributes, action },
        labels: attributes.labels,
        changes: changesOf(fact, subject, now, facts),
        assignees: [],
      },
    },
  ];
}
