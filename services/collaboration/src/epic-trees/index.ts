export { composeEpicTrees } from './compose';
export { maxChildren, maxLevels } from './domain/placement';
export { recomputeEpicDates } from './recompute-epic-dates';
export {
  type AttachedEpic,
  attachedEpic,
  epicByName,
  epicOfIssue,
  inEpic,
  mayChangeEpic,
} from './storage/attached-epic';
export { editableEpics, epicFrom, epicReaders, readersOfEpic, visibleEpics } from './storage/epic.visibility';
export {
  datesChannel,
  type EpicIssueLink,
  findLink,
  lockTrees,
  type Neighbours,
  placeEpic,
  placeIssue,
  reorder,
  showsConfidential,
} from './storage/epic-tree.store';
