import { changedSet, mentionsIn, newMentions, repeatedText } from '@switchyard/texts';
import { checkEpicDates, type Epic, type EpicState } from './epic';
import type { EpicChange, EpicFact, EpicFieldChange, EpicPatch, LockedEpic } from './epic-change';

/** What an edit sets, looked up and allowed; what is undefined stays, null clears. */
export interface EpicEdit {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  /** In place of the present ones. */
  readonly labelIds?: readonly number[] | undefined;
  readonly addedLabelIds?: readonly number[] | undefined;
  readonly removedLabelIds?: readonly number[] | undefined;
  readonly confidential?: boolean | undefined;
  /** `#rrggbb`. */
  readonly color?: string | undefined;
  readonly startDateIsFixed?: boolean | undefined;
  readonly startDateFixed?: string | null | undefined;
  readonly dueDateIsFixed?: boolean | undefined;
  readonly dueDateFixed?: string | null | undefined;
  /** The epic that it comes to stand below. */
  readonly parentId?: number | null | undefined;
  readonly updatedAt?: Date | undefined;
}

const without = (from: readonly number[], ids: readonly number[]): number[] => from.filter((id) => !ids.includes(id));

/** The state after an event; undefined when it stays. */
function nextState(state: EpicState, event: EpicEdit['stateEvent']): EpicState | undefined {
  if (event === 'close') return state === 'opened' ? 'closed' : undefined;
  return event === 'reopen' && state === 'closed' ? 'opened' : undefined;
}

const written = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** Fields that are set as they come, and their public names. */
const plainFields = {
  title: 'title',
  confidential: 'confidential',
  color: 'color',
  startDateIsFixed: 'start_date_is_fixed',
  startDateFixed: 'start_date_fixed',
  dueDateIsFixed: 'due_date_is_fixed',
  dueDateFixed: 'due_date_fixed',
} as const satisfies { readonly [F in keyof EpicPatch & keyof EpicEdit]?: string };

const plainNames = Object.entries(plainFields) as [keyof typeof plainFields, string][];

/** The dates after a patch. */
const datesAfter = (epic: Epic, patch: EpicPatch) => ({
  startDateIsFixed: patch.startDateIsFixed ?? epic.startDateIsFixed,
  startDateFixed: patch.startDateFixed === undefined ? epic.startDateFixed : (patch.startDateFixed ?? undefined),
  dueDateIsFixed: patch.dueDateIsFixed ?? epic.dueDateIsFixed,
  dueDateFixed: patch.dueDateFixed === undefined ? epic.dueDateFixed : (patch.dueDateFixed ?? undefined),
});

/**
 * What an edit changes in an epic; undefined when it changes nothing.
 * @throws AppError invalid when the fixed end would lie before the fixed start
 */
export function editEpic(locked: LockedEpic, edit: EpicEdit, actorId: number, now: Date): EpicChange | undefined {
  const { epic } = locked;
  const fields: string[] = [];
  const changes: EpicFieldChange[] = [];
  let patch: EpicPatch = {};
  const { description } = edit;
  if (description !== undefined && description !== (epic.description ?? '')) {
    fields.push('description');
    patch = { description: description === '' ? null : description };
  }
  for (const [field, name] of plainNames) {
    const value = edit[field];
    const before = epic[field] ?? null;
    if (value === undefined || value === before) continue;
    fields.push(name);
    changes.push({ field: name, old: written(before), new: written(value) });
    patch = { ...patch, [field]: value };
  }
  const parentId = edit.parentId === (epic.parentId ?? null) ? undefined : edit.parentId;
  if (parentId !== undefined) {
    fields.push('parent_id');
    changes.push({ field: 'parent_id', old: written(epic.parentId), new: written(parentId) });
  }
  if (fields.some((field) => field.includes('date'))) checkEpicDates(datesAfter(epic, patch));
  const labelIds = changedSet(locked.labelIds, {
    all: edit.labelIds,
    added: edit.addedLabelIds,
    removed: edit.removedLabelIds,
  });
  const addedLabelIds = without(labelIds, locked.labelIds);
  const removedLabelIds = without(locked.labelIds, labelIds);
  if (addedLabelIds.length + removedLabelIds.length > 0) fields.push('labels');

  const facts: EpicFact[] = [];
  if (fields.length > 0) {
    const texts = [edit.title ?? epic.title, description ?? epic.description] as const;
    const mentions = newMentions(mentionsIn(epic.title, epic.description), mentionsIn(...texts));
    facts.push({
      kind: 'updated',
      addedLabelIds,
      removedLabelIds,
      mentions,
      changedFields: fields,
      changes,
      ...(fields.includes('description') ? { oldDescription: repeatedText(epic.description ?? '') } : {}),
    });
  }
  const state = nextState(epic.state, edit.stateEvent);
  if (state === 'closed') {
    patch = { ...patch, state, closedById: actorId, closedAt: now };
    facts.push({ kind: 'closed' });
  } else if (state === 'opened') {
    patch = { ...patch, state, closedById: null, closedAt: null };
    facts.push({ kind: 'reopened' });
  }
  if (edit.updatedAt !== undefined) patch = { ...patch, updatedAt: edit.updatedAt };
  // A new timestamp alone is not published.
  if (facts.length === 0) return edit.updatedAt === undefined ? undefined : { patch, facts };
  return { patch, labelIds, parentId, participants: [actorId], facts };
}
