export { type ArchiveImportArea, composeArchiveImports } from './compose';
