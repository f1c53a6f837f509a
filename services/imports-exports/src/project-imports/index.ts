export { composeProjectImports, listImports } from './compose';
export { type ImportAuthor, type ImportFailure, maxFailedItems, mayNotImport } from './domain/project-import';
export type { ImportedProject } from './domain/shown-import';
export { presentImport } from './presenters/project-import.presenter';
export { toFailure } from './storage/import.store';
export { mayImport } from './storage/people.store';
export { importedProjectsOf } from './transport/imported-projects.client';
