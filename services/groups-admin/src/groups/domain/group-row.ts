import type { Visibility } from '../../rules';
import { type GroupSettings, groupDefaults } from './group';

/** A group as it is printed. */
export interface GroupRow {
  id: number;
  name: string;
  path: string;
  parent_id: number | null;
  ancestry: number[];
  full_path: string;
  full_name: string;
  visibility: Visibility;
  description: string;
  avatar_url: string | null;
  settings: Partial<GroupSettings>;
  created_at: Date;
  marked_for_deletion_at: Date | null;
  tier: string | null;
}

/** A group to insert. */
export interface NewGroup {
  parentId: number | undefined;
  name: string;
  path: string;
  visibility: Visibility;
  description: string;
  creatorId: number;
  settings: Partial<GroupSettings>;
}

/** Which groups a list holds; an absent field does not restrict it. */
export interface GroupFilter {
  parentId?: number;
  ancestorId?: number;
  skip?: number[];
  /** True: all that can be seen; false: those the viewer belongs to. */
  allAvailable: boolean;
  search?: string;
  visibility?: string;
  /** Least level of the viewer. */
  minLevel?: number;
  topLevelOnly?: boolean;
}

/** All settings of a group, defaults included. */
export const settingsOf = (row: Pick<GroupRow, 'settings'>): GroupSettings => ({ ...groupDefaults, ...row.settings });
