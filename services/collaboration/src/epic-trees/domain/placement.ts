import { invalid } from '@switchyard/errors';

/** Levels of a tree of epics, its root included. */
export const maxLevels = 7;

/** Most child epics of one epic: they are listed in one reply. */
export const maxChildren = 1_000;

/** What is known of an epic and of the one that is to be its parent. */
export interface Placement {
  /** They are one. */
  readonly self: boolean;
  /** The epic stands above its new parent. */
  readonly cycle: boolean;
  /** Levels from the root to the new parent. */
  readonly levelsAbove: number;
  /** Levels of the epic's own tree. */
  readonly height: number;
  /** Both lie below one top-level group. */
  readonly sameRoot: boolean;
  readonly parentConfidential: boolean;
  readonly confidential: boolean;
  /** Children that the new parent has. */
  readonly siblings: number;
}

const refused = (reason: string) => invalid({ parent: [`This epic cannot be added. ${reason}`] });

/**
 * Whether an epic may stand below another one.
 * @throws AppError invalid with the reason
 */
export function checkPlacement(placement: Placement): void {
  if (placement.self) throw refused('An epic cannot be added to itself.');
  if (placement.cycle) throw refused('It is already an ancestor of the parent epic.');
  if (!placement.sameRoot) throw refused('It must belong to the same top-level group as its parent.');
  if (placement.levelsAbove + placement.height > maxLevels) {
    throw refused(`One or more epics would exceed the maximum depth (${maxLevels}) from its most distant child.`);
  }
  if (placement.parentConfidential && !placement.confidential) {
    throw refused('A non-confidential epic cannot be assigned to a confidential parent epic.');
  }
  if (placement.siblings >= maxChildren)
    throw refused(`The parent has the most children it can have (${maxChildren}).`);
}

/** An epic, an issue of it, and where the issue lies. */
export interface IssuePlacement {
  readonly sameRoot: boolean;
  readonly epicConfidential: boolean;
  readonly issueConfidential: boolean;
}

/**
 * Whether an issue may be part of an epic.
 * @throws AppError invalid with the reason
 */
export function checkIssuePlacement({ sameRoot, epicConfidential, issueConfidential }: IssuePlacement): void {
  if (!sameRoot) throw invalid({ epic: ['must belong to the top-level group of the project'] });
  if (epicConfidential && !issueConfidential) {
    throw invalid({ epic: ['is confidential and cannot have an issue that is not confidential'] });
  }
}
