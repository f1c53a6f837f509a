import type { Viewer } from '../../directory';

/** A milestone with the full path of its parent, as it is printed. */
export interface MilestoneRow {
  id: number;
  iid: number;
  project_id: number | null;
  namespace_id: number | null;
  title: string;
  description: string;
  state: 'active' | 'closed';
  /** `YYYY-MM-DD`. */
  due_date: string | null;
  start_date: string | null;
  expired: boolean;
  created_at: Date;
  updated_at: Date;
  parent_path: string;
}

/** Which milestones a list holds; an absent field does not restrict it. */
export interface MilestoneFilter {
  iids?: number[];
  state?: string;
  title?: string;
  search?: string;
  above: boolean;
  /** With a group: those of the groups below that the viewer may see. */
  below: boolean;
  viewer: Viewer;
  updatedBefore?: Date;
  updatedAfter?: Date;
  /** `YYYY-MM-DD`. */
  containingDate?: string;
}
