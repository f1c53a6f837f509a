export type { Viewer } from './domain/viewing';
export { memberProjects, visibleProjects } from './storage/viewer';
