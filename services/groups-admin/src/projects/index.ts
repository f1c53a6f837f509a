export { presentProject, presentSimpleProject } from './presenters/project.presenter';
export { listProjects } from './storage/project.list';
export type { ProjectRow } from './storage/project.store';
