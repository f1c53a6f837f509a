export { composeGroups } from './compose';
export { type GroupState, publishGroups } from './storage/group.events';
export { groupStates } from './storage/group-state';
