export { composeProjectImports, listImports } from './compose';
export { type ImportAuthor, type ImportFailure, maxFailedItems } from './domain/project-import';
export type { ImportedProject } from './domain/shown-import';
export { presentImport } from './presenters/project-import.presenter';
export { toFailure } from './storage/import.store';
export { importedProjectsOf } from './transport/imported-projects.client';
