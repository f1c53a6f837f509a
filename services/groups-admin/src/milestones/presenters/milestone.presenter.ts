import type { MilestoneRow } from '../domain/milestone-row';

/** A milestone (api.md 2, G-2-10). */
export const presentMilestone = (milestone: MilestoneRow, externalUrl: string) => ({
  id: milestone.id,
  iid: milestone.iid,
  ...(milestone.project_id === null ? { group_id: milestone.namespace_id } : { project_id: milestone.project_id }),
  title: milestone.title,
  description: milestone.description,
  state: milestone.state,
  created_at: milestone.created_at,
  updated_at: milestone.updated_at,
  due_date: milestone.due_date,
  start_date: milestone.start_date,
  expired: milestone.expired,
  web_url: `${externalUrl}/${milestone.project_id === null ? 'groups/' : ''}${milestone.parent_path}/-/milestones/${milestone.iid}`,
});
