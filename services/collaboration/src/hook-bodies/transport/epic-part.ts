import { hookLabel, type NamespaceRow } from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import type { HookEpic, HookFacts } from '../domain/hook-facts';
import { stateId } from '../domain/issue-changes';

/**
 * The epic of a body, `object_attributes` of its own and the part `epic` of a note (G-6-4). Without its parent, which
 * may lie in a group that readers do not see, and without the dates that only its editors are shown (api.md section 2).
 */
export const epicPart = (epic: HookEpic, group: NamespaceRow, facts: HookFacts, externalUrl: string) => ({
  id: epic.id,
  iid: epic.iid,
  group_id: epic.group_id,
  project_id: null,
  author_id: epic.author_id,
  title: epic.title,
  description: epic.description ?? '',
  state: epic.state,
  state_id: stateId(epic.state),
  type: 'Epic',
  confidential: epic.confidential,
  color: epic.color,
  start_date: epic.start_on,
  due_date: epic.due_on,
  closed_at: epic.closed_at,
  created_at: epic.created_at,
  updated_at: epic.updated_at,
  url: `${externalUrl.replace(/\/+$/, '')}/groups/${group.full_path}/-/epics/${epic.iid}`,
  labels: epic.label_ids.flatMap((id) => facts.labels.get(id) ?? []).map(hookLabel),
});

/** Who reads the bodies of an epic and of what is on it: of a confidential one Planners and above (api.md 4.18). */
export const epicAudience = (epic: HookEpic, confidential: boolean) => ({
  groupId: epic.group_id,
  feature: '' as const,
  objectKey: `epic:${epic.id}`,
  confidential,
  leastLevel: confidential ? levels.planner : 0,
  authorId: 0,
  audienceIds: [],
});
