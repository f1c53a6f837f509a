/** A field of an issue before and after an edit, as texts. */
interface IssueFieldChange {
  readonly field: string;
  readonly old: string;
  readonly new: string;
}

/** A field before and after. */
export interface Changed<T = unknown> {
  readonly previous: T;
  readonly current: T;
}

/** A field as hook bodies name it, and what its texts mean. */
interface Field {
  readonly name: string;
  read(text: string): unknown;
}

const textOrNull = (text: string): string | null => (text === '' ? null : text);
const numberOrNull = (text: string): number | null => (text === '' ? null : Number(text));
const flag = (text: string): boolean => text === 'true';

const fields: Readonly<Record<string, Field>> = {
  milestone: { name: 'milestone_id', read: numberOrNull },
  weight: { name: 'weight', read: numberOrNull },
  time_estimate: { name: 'time_estimate', read: Number },
  time_spent: { name: 'total_time_spent', read: Number },
  confidential: { name: 'confidential', read: flag },
  discussion_locked: { name: 'discussion_locked', read: flag },
  due_date: { name: 'due_date', read: textOrNull },
  health_status: { name: 'health_status', read: textOrNull },
};

function changeOf({ field, old, new: now }: IssueFieldChange): [string, Changed] {
  const { name, read } = fields[field] ?? { name: field, read: (text: string): unknown => text };
  return [name, { previous: read(old), current: read(now) }];
}

/** Fields that name an epic, which not every reader of the issue or epic that changed may know of. */
const ofAnotherEpic: ReadonlySet<string> = new Set(['epic_id', 'parent_id']);

/** The fields of an edit that have a value short enough to be in its event (G-6-4, `changes`). */
export const fieldChanges = (changes: readonly IssueFieldChange[]): Record<string, Changed> =>
  Object.fromEntries(changes.filter(({ field }) => !ofAnotherEpic.has(field)).map(changeOf));

/**
 * What a set was before an edit, from what it is since.
 * @param now ids after the edit
 */
export const setBefore = (
  now: readonly number[],
  { added, removed }: { readonly added: readonly number[]; readonly removed: readonly number[] },
): number[] => [...now.filter((id) => !added.includes(id)), ...removed];

/** Numbers that hook bodies have for the states of an issue. */
const stateIds = { opened: 1, closed: 2 } as const;

/** The change of the state by closing, or by opening again. */
export const stateChange = (current: keyof typeof stateIds): Record<string, Changed> => ({
  state_id: { previous: stateIds[current === 'closed' ? 'opened' : 'closed'], current: stateIds[current] },
});

/** Number of a state. */
export const stateId = (state: string): number => (state === 'closed' ? stateIds.closed : stateIds.opened);
