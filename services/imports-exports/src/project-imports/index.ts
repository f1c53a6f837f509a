export { composeProjectImports, listImports } from './compose';
export type { ImportedProject } from './domain/shown-import';
export { presentImport } from './presenters/project-import.presenter';
