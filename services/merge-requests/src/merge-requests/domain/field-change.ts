import type { FieldChange, LockedMergeRequest, MergeRequestPatch } from './merge-request-change';

/** Characters of a description that a change names: an event is no place for a megabyte. */
const namedCharacters = 4_096;

/** The fields of a row that an edit sets, by their public names. Times are published elsewhere. */
const columns = {
  title: 'title',
  description: 'description',
  target_branch: 'targetBranch',
  draft: 'draft',
  milestone: 'milestoneId',
  discussion_locked: 'discussionLocked',
  squash: 'squash',
  allow_collaboration: 'allowCollaboration',
  force_remove_source_branch: 'forceRemoveSourceBranch',
  merge_after: 'mergeAfter',
} as const satisfies Record<string, keyof MergeRequestPatch>;

const textOf = (value: string | number | boolean | Date | null | undefined): string =>
  value instanceof Date ? value.toISOString() : String(value ?? '').slice(0, namedCharacters);

/** What an edit leaves of people and labels. */
export type EditedSets = Pick<LockedMergeRequest, 'assigneeIds' | 'reviewerIds' | 'labelIds'>;

/**
 * What the fields that an edit changes were, and are.
 * @param fields public names of those that changed
 */
export function fieldChanges(
  before: LockedMergeRequest,
  patch: MergeRequestPatch,
  sets: EditedSets,
  fields: readonly string[],
): FieldChange[] {
  const setsOf = ({ assigneeIds, reviewerIds, labelIds }: EditedSets): Record<string, readonly number[]> => ({
    assignees: assigneeIds,
    reviewers: reviewerIds,
    labels: labelIds,
  });
  const [had, has] = [setsOf(before), setsOf(sets)];
  return fields.flatMap((field): FieldChange[] => {
    const [oldIds, newIds] = [had[field], has[field]];
    if (oldIds !== undefined && newIds !== undefined) return [{ field, old: '', new: '', oldIds, newIds }];
    if (!(field in columns)) return [];
    const column = columns[field as keyof typeof columns];
    const [old, now] = [textOf(before.mergeRequest[column]), textOf(patch[column])];
    return [{ field, old, new: now, oldIds: [], newIds: [] }];
  });
}
