export { composeProjectExports } from './compose';
export { archiveFormat, archiveKinds, type RecordOwner } from './domain/project-export';
export { recordsOf } from './transport/records.client';
