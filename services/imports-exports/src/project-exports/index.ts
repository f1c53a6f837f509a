export { composeProjectExports } from './compose';
export { archiveFormat, archiveKinds, type RecordOwner } from './domain/project-export';
