import { hookGroup, hookLabel, hookUser } from '@switchyard/directory';
import type { EpicEvent, EpicUpdated } from '@switchyard/protos/collaboration/events/v1/epic_event';
import type { HookEpic, HookFacts } from '../domain/hook-facts';
import { type Changed, fieldChanges, setBefore, stateChange } from '../domain/issue-changes';
import { levelForBoth } from '../domain/link-audience';
import { epicAudience, epicPart } from './epic-part';
import type { HookDraft } from './hook-draft';
import { linkOf } from './hook-event';

type Subject = NonNullable<EpicEvent['epic']>;

/** What hooks call the facts that they carry. */
const actions: Readonly<Record<string, string>> = {
  created: 'open',
  updated: 'update',
  closed: 'close',
  reopened: 'reopen',
  linked: 'update',
  unlinked: 'update',
};

/** Fields that are shown to editors of an epic alone (api.md section 2). */
const ofEditors: ReadonlySet<string> = new Set([
  'start_date_is_fixed',
  'start_date_fixed',
  'due_date_is_fixed',
  'due_date_fixed',
]);

function editChanges(edit: EpicUpdated, { labelIds }: Subject, now: HookEpic, facts: HookFacts) {
  const labels = (ids: readonly number[]) => ids.flatMap((id) => facts.labels.get(id) ?? []).map(hookLabel);
  const changes: Record<string, Changed> = fieldChanges(edit.changes.filter(({ field }) => !ofEditors.has(field)));
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

/** Who reads the body: of a link those who read both epics. Undefined where the two have no such readers in common. */
function audienceOf(event: EpicEvent, now: HookEpic, facts: HookFacts) {
  // What became confidential since is not told to those who may not see it any more.
  const confidential = event.epic?.confidential === true || now.confidential;
  const own = epicAudience(now, confidential);
  const link = linkOf(event);
  if (link === undefined) return own;
  const [group, otherGroup] = [facts.groups.get(now.group_id), facts.groups.get(link.otherGroupId)];
  const other = facts.epics.get(link.otherId);
  if (group === undefined || otherGroup === undefined || other === undefined) return undefined;
  const end = { group: otherGroup, confidential: other.confidential };
  const leastLevel = levelForBoth({ group, confidential }, end);
  if (leastLevel === undefined) return undefined;
  return { ...own, confidential: confidential || other.confidential, objectIsOpen: !confidential, leastLevel };
}

/** The link that an epic got or lost. */
function linkPart(event: EpicEvent) {
  const link = linkOf(event);
  if (link === undefined) return {};
  const { id, linkType, otherId, otherIid, otherGroupId } = link;
  const epic = { id: otherId, iid: otherIid, group_id: otherGroupId };
  return { link: { id, event: event.fact?.$case === 'linked' ? 'added' : 'removed', link_type: linkType, epic } };
}

/** The body of a change of an epic: a work item of the type `Epic`, for the hooks of groups alone (G-6-3, Issue Hook). */
export function epicBodies(event: EpicEvent, facts: HookFacts, externalUrl: string): HookDraft[] {
  const { epic: subject, fact, actorId } = event;
  const now = facts.epics.get(subject?.id ?? 0);
  const group = facts.groups.get(subject?.groupId ?? 0);
  // An epic that is gone by now leaves nothing that a reader could look at.
  if (subject === undefined || now === undefined || group === undefined || fact === undefined) return [];
  const audience = audienceOf(event, now, facts);
  if (audience === undefined) return [];
  const action = actions[fact.$case] ?? '';
  const { title, state, labelIds } = subject;
  const attributes = epicPart({ ...now, title, state, label_ids: labelIds }, group, facts, externalUrl);
  const actor = facts.users.get(actorId);
  return [
    {
      kind: 'epic',
      action,
      projectId: 0,
      ...audience,
      body: {
        object_kind: 'work_item',
        event_type: audience.confidential ? 'confidential_work_item' : 'work_item',
        user: actor === undefined ? null : hookUser(actor, externalUrl),
        group: hookGroup(group),
        object_attributes: { ...attributes, action },
        labels: attributes.labels,
        changes: changesOf(fact, subject, now, facts),
        ...linkPart(event),
        assignees: [],
      },
    },
  ];
}
