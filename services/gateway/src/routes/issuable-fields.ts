import type { z } from 'zod';
import { csv, documented, integer, integers, nullable, text } from '../http/params';
import { atMostPeople, longText } from './field-facts';

/** What is sent both for an issue and for a merge request. */
export const sharedFields = {
  assignee_id: nullable(integer({ min: 0 })).optional(),
  assignee_ids: documented(integers({ min: 0 }), atMostPeople).optional(),
  description: documented(nullable(text()), longText).optional(),
  labels: csv().optional(),
  add_labels: csv().optional(),
  remove_labels: csv().optional(),
  milestone_id: nullable(integer({ min: 0 })).optional(),
};

type Shared = z.infer<z.ZodObject<typeof sharedFields>>;

/** Ids of users; 0 names no user and is left out. */
export const positive = (ids: readonly number[]): number[] => ids.filter((id) => id > 0);

/** Assignees as either parameter gives them, the list before the single one; undefined when neither was sent. */
function assigneesOf(params: Pick<Shared, 'assignee_id' | 'assignee_ids'>): number[] | undefined {
  if (params.assignee_ids !== undefined) return positive(params.assignee_ids);
  if (params.assignee_id === undefined) return undefined;
  return positive([params.assignee_id ?? 0]);
}

/** The shared fields of a new one, as they travel. */
export function newFields(params: Shared) {
  const removed = new Set(params.remove_labels);
  return {
    description: params.description ?? '',
    assigneeIds: assigneesOf(params) ?? [],
    labels: [...(params.labels ?? []), ...(params.add_labels ?? [])].filter((title) => !removed.has(title)),
    milestoneId: params.milestone_id ?? 0,
  };
}

/** The shared fields of a change, as they travel: undefined leaves a field alone, null has emptied it. */
export function changedFields(params: Shared) {
  const assignees = assigneesOf(params);
  return {
    description: params.description === null ? '' : params.description,
    assigneeIds: assignees === undefined ? undefined : { ids: assignees },
    labels: params.labels === undefined ? undefined : { titles: params.labels },
    addLabels: params.add_labels ?? [],
    removeLabels: params.remove_labels ?? [],
    milestoneId: params.milestone_id === null ? 0 : params.milestone_id,
  };
}
