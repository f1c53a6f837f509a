export type {
  NumberedTargetType,
  ShownTarget,
  ShownTargets,
  TargetOwner,
  TargetOwners,
  TargetReader,
} from './application/targets';
export { shownTargets } from './application/targets';
export { composeTargets } from './compose';
export type { Target, TargetType } from './domain/target';
export { approverLevels, type PlaceType } from './domain/target';
export { type GroupRow, groupReference } from './presenters/group-reference';
export { readability, targetReaders } from './storage/target.visibility';
