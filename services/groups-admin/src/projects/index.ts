export { composeProjects, type ListProjects, type TransferProject } from './compose';
export type { ProjectRow } from './domain/project-row';
export { type Instance, presentProject, presentSimpleProject } from './presenters/project.presenter';
