import { levels } from '@switchyard/rights';

/** Types of what to-dos and references can point at, by their public name. */
export type TargetType = 'MergeRequest' | 'Issue' | 'Commit' | 'AlertManagement::Alert' | 'Epic' | PlaceType;

/** A project or group as the target itself: users ask to become members of it. */
export type PlaceType = 'Project' | 'Namespace';

/** What a to-do or a reference points at. */
export interface Target {
  readonly type: TargetType;
  /** Id at its owner; of a commit, which has none, that of the row its notes hang on. */
  readonly id: number;
  /** Number within its project or group; 0 for a commit. */
  readonly iid: number;
  /** 0 for an epic. */
  readonly projectId: number;
  /** Group of an epic; undefined for every other type. */
  readonly groupId?: number;
  /** Whether it was confidential at the time of the event; only rebuilds need it. */
  readonly wasConfidential?: boolean;
}

/** Least access levels of those who decide on access requests, who alone have to-dos on projects and groups. */
export const approverLevels = { Project: levels.maintainer, Namespace: levels.owner } as const;

/** Least access level of those who see alerts (G-4.12-17). */
export const alertLevel = levels.developer;
