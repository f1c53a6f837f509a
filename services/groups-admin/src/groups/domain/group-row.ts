import type { CustomAttribute } from '../../custom-attributes';
import type { Visibility } from '../../rules';
import type { InvitedTo } from '../../shares';
import type { GroupSizes } from '../../statistics';
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
  /** Its purge has begun: no one finds or restores it any more. */
  purging: boolean;
  tier: string | null;
  /** `enabled_git_access_protocol` of the top-level group; null where it was never set. */
  git_protocol: string | null;
  /** Present where they were requested. */
  sizes?: GroupSizes;
  custom_attributes?: CustomAttribute[];
}

/** What is read of groups on request; administrators alone see it. */
export interface GroupExtras {
  readonly statistics: boolean;
  readonly customAttributes: boolean;
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
  /** Group with which they are shared themselves. */
  sharedWith?: number;
  /** What they are invited to. */
  invitedTo?: InvitedTo;
  /** Groups that were marked for deletion on this day (`YYYY-MM-DD`, UTC) and that the viewer may restore. */
  markedOn?: string;
  repositoryStorage?: string;
  /** Values by key that the groups have. */
  customAttributes?: Record<string, string>;
  extras?: GroupExtras;
}

/** What someone wants to move to a group. */
export interface Moving {
  readonly kind: 'project' | 'group';
  readonly id: number;
}

/** All settings of a group, defaults included. */
export const settingsOf = (row: Pick<GroupRow, 'settings'>): GroupSettings => ({ ...groupDefaults, ...row.settings });

/** What `repository_storage` shows: all repositories lie in one storage. */
export const repositoryStorage = 'default';
