export { composeStatistics } from './compose';
export type { GroupSizes, ProjectSizes } from './domain/sizes';
export {
  presentGroupStatistics,
  presentProjectStatistics,
  presentRootStorageStatistics,
} from './presenters/statistics.presenter';
export { groupSizes, projectSizes } from './storage/statistics.columns';
